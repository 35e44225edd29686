/* A mixture of Gaussians with full covariances: minus the logarithm of its density. `weight` holds all that does not depend on the reading. */
#include "method.h"
#include "model.h"

float score(const float *x)
{
    float part[PARTS];
    float most = -INFINITY;
    float sum = 0.0f;

    for (int k = 0; k < PARTS; k++) {
        float z[INPUTS];
        float distance = 0.0f;
        const float *row = factor[k];

        for (int i = 0; i < INPUTS; i++) {
            float along = 0.0f;

            z[i] = x[i] - mean[k][i];
            for (int j = 0; j <= i; j++) {
                along += *row++ * z[j];
            }
            distance += along * along;
        }
        part[k] = weight[k] - 0.5f * distance;
        if (part[k] > most) {
            most = part[k];
        }
    }
    for (int k = 0; k < PARTS; k++) {
        sum += expf(part[k] - most);
    }
    return -most - logf(sum);
}
