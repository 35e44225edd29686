/* An isolation forest: minus the sum of its path lengths, of which the usual score 2^(-mean / c) is a monotone function. A node is followed by those below
 * its limit; a leaf has the length of its path, with what the rows in it would add on average. */
#include "method.h"

#define LEAF 255

struct node {
    float limit;
    uint8_t input;
    uint8_t others;
};

#include "model.h"

float score(const float *x)
{
    float sum = 0.0f;

    for (int tree = 0; tree < TREES; tree++) {
        const struct node *node = &nodes[root[tree]];

        while (node->input != LEAF) {
            node += x[node->input] < node->limit ? 1 : node->others;
        }
        sum += node->limit;
    }
    return -sum;
}
