/* What every method of this folder is: a raw reading to a number that is the larger the stranger the reading. Its numbers are in model.h, which
 * xtask/src/bench/others/models.rs writes beside it. */
#include <math.h>
#include <stdint.h>

#define INPUTS 8

float score(const float *x);
