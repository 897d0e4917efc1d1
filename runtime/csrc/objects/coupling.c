/* Probabilities of classes from those of pairs of classes: the second method of Wu, Lin and Weng (2004), "Probability
 * estimates for multi-class classification by pairwise coupling", as LIBSVM iterates it. */
#include "objects/object_calls.h"

#include <math.h>

enum { MOST_CLASSES = 1024, LEAST_ROUNDS = 100 };

/* Q is symmetric: the sum of (r_ji p_i - r_ij p_j)^2 over all pairs is 2 p^T Q p. `r` is [classes, classes]. */
static float q(const float *r, int64_t classes, int64_t i, int64_t j) {
  if (i != j)
    return -r[j * classes + i] * r[i * classes + j];
  float sum = 0;
  for (int64_t other = 0; other < classes; other++)
    sum += other == i ? 0 : r[other * classes + i] * r[other * classes + i];
  return sum;
}

/* Computes Qp; returns p^T Q p. */
static float products(const float *r, int64_t classes, const float *p, float *qp) {
  float total = 0;
  for (int64_t i = 0; i < classes; i++) {
    qp[i] = 0;
    for (int64_t j = 0; j < classes; j++)
      qp[i] += q(r, classes, i, j) * p[j];
    total += p[i] * qp[i];
  }
  return total;
}

/* Moves each p_i to its best value for the others, and scales all to the sum of 1. */
static void improve(const float *r, int64_t classes, float *p, float *qp, float total) {
  for (int64_t i = 0; i < classes; i++) {
    const float own = q(r, classes, i, i), step = (total - qp[i]) / own, sum = 1 + step;
    p[i] += step;
    total = (total + step * (step * own + 2 * qp[i])) / sum / sum;
    for (int64_t j = 0; j < classes; j++) {
      qp[j] = (qp[j] + step * q(r, classes, i, j)) / sum;
      p[j] /= sum;
    }
  }
}

static void couple(const float *r, int64_t classes, float *p) {
  float qp[MOST_CLASSES];
  const int64_t rounds = classes > LEAST_ROUNDS ? classes : LEAST_ROUNDS;
  for (int64_t i = 0; i < classes; i++)
    p[i] = 1.0f / (float)classes;
  for (int64_t round = 0; round < rounds; round++) {
    const float total = products(r, classes, p, qp);
    float error = 0;
    for (int64_t i = 0; i < classes; i++)
      error = fmaxf(error, fabsf(qp[i] - total));
    if (error < 0.005f / (float)classes)
      return;
    improve(r, classes, p, qp, total);
  }
}

/* (x, dims) -> for each row of x, the probabilities of class i of i and j at i, j, those of all classes. */
void mlc_call_pairwise_coupling(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const int64_t rows = views[0].sizes[0], classes = views[0].sizes[1];
  if (classes > MOST_CLASSES || views[0].sizes[2] != classes || views[2].count != rows * classes)
    mlc_call_fail("its operand and result do not fit together");
  for (int64_t row = 0; row < rows; row++)
    couple((const float *)views[0].data + row * classes * classes, classes, (float *)views[2].data + row * classes);
}
