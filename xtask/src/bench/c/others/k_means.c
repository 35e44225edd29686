/* k-means: the squared distance to the nearest centre. */
#include "method.h"
#include "model.h"
#include "distance.h"

float score(const float *x)
{
    float z[INPUTS];
    float least = INFINITY;

    scaled(x, z);
    for (int k = 0; k < POINTS; k++) {
        const float distance = squared_distance(z, point[k]);

        if (distance < least) {
            least = distance;
        }
    }
    return least;
}
