/* Promises more memory than there is: what the sanitizers of the other programs must notice, also inside of the library. */
#include <stdlib.h>

#include "mercer.h"

static mercer_learner learner;

int main(void)
{
    float *reading = calloc(MERCER_INPUTS - 1, sizeof *reading);
    int32_t code = mercer_learner_init(&learner, sizeof learner, MERCER_BUILD);

    if (code == MERCER_OK) {
        code = mercer_learner_push(&learner, reading, MERCER_INPUTS);
    }
    free(reading);
    return code;
}
