/* Helper functions of compiler-rt that the loader offers to compiled code; see builtins.c. */
#ifndef MLC_BUILTINS_H
#define MLC_BUILTINS_H

#include <stdint.h>

float __extendhfsf2(float half);
double __extendhfdf2(float half);
float __truncsfhf2(float value);
float __truncdfhf2(double value);
float __truncsfbf2(float value);
float __truncdfbf2(double value);

#endif
