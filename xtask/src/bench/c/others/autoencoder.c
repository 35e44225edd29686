/* An autoencoder with one hidden layer: the squared error of what it makes of a reading. */
#include "method.h"
#include "model.h"
#include "distance.h"

float score(const float *x)
{
    float z[INPUTS];
    float hidden[HIDDEN];
    float error = 0.0f;

    scaled(x, z);
    for (int k = 0; k < HIDDEN; k++) {
        float sum = inner_bias[k];

        for (int i = 0; i < INPUTS; i++) {
            sum += inner[k][i] * z[i];
        }
        hidden[k] = tanhf(sum);
    }
    for (int i = 0; i < INPUTS; i++) {
        float sum = outer_bias[i] - z[i];

        for (int k = 0; k < HIDDEN; k++) {
            sum += outer[i][k] * hidden[k];
        }
        error += sum * sum;
    }
    return error;
}
