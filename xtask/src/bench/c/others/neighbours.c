/* Nearest neighbours: the squared distance to the last of the nearest, which are kept in order. */
#include "method.h"
#include "model.h"
#include "distance.h"

float score(const float *x)
{
    float z[INPUTS];
    float nearest[NEAREST];

    scaled(x, z);
    for (int k = 0; k < NEAREST; k++) {
        nearest[k] = INFINITY;
    }
    for (int k = 0; k < POINTS; k++) {
        const float distance = squared_distance(z, point[k]);

        if (distance < nearest[NEAREST - 1]) {
            int place = NEAREST - 1;

            for (; place > 0 && nearest[place - 1] > distance; place--) {
                nearest[place] = nearest[place - 1];
            }
            nearest[place] = distance;
        }
    }
    return nearest[NEAREST - 1];
}
