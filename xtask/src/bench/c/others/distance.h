/* For methods that compare a scaled reading with points. */

static inline void scaled(const float *x, float *z)
{
    for (int i = 0; i < INPUTS; i++) {
        z[i] = (x[i] - mean[i]) * scale[i];
    }
}

static inline float squared_distance(const float *z, const float *point)
{
    float sum = 0.0f;

    for (int i = 0; i < INPUTS; i++) {
        const float difference = z[i] - point[i];

        sum += difference * difference;
    }
    return sum;
}
