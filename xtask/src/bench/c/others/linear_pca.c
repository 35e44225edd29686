/* Linear PCA: the squared distance from the plane of the leading axes, which are orthonormal. */
#include "method.h"
#include "model.h"

float score(const float *x)
{
    float z[INPUTS];
    float rest = 0.0f;

    for (int i = 0; i < INPUTS; i++) {
        z[i] = (x[i] - mean[i]) * scale[i];
        rest += z[i] * z[i];
    }
    for (int k = 0; k < AXES; k++) {
        float along = 0.0f;

        for (int i = 0; i < INPUTS; i++) {
            along += axes[k][i] * z[i];
        }
        rest -= along * along;
    }
    return rest;
}
