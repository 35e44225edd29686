/* The Mahalanobis distance, squared: factor' factor is the inverse covariance, row by row up to the diagonal. The scaling is part of it. */
#include "method.h"
#include "model.h"

float score(const float *x)
{
    float z[INPUTS];
    float sum = 0.0f;
    const float *row = factor;

    for (int i = 0; i < INPUTS; i++) {
        float along = 0.0f;

        z[i] = x[i] - mean[i];
        for (int j = 0; j <= i; j++) {
            along += *row++ * z[j];
        }
        sum += along * along;
    }
    return sum;
}
