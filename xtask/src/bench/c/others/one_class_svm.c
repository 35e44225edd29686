/* A one-class SVM with a Gaussian kernel: minus the weighted sum of the kernel at its vectors. */
#include "method.h"
#include "model.h"
#include "distance.h"

float score(const float *x)
{
    float z[INPUTS];
    float sum = 0.0f;

    scaled(x, z);
    for (int k = 0; k < POINTS; k++) {
        sum += weight[k] * expf(-GAMMA * squared_distance(z, point[k]));
    }
    return -sum;
}
