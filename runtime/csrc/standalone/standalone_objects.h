/* The additional parts of shared libraries of models with strings or sequences. */
#ifndef MLC_STANDALONE_OBJECTS_H
#define MLC_STANDALONE_OBJECTS_H

#include "standalone/standalone_dynamic.h"

/* The functions of standalone_objects.c. */
extern const mlc_object_hooks mlc_standalone_objects;

#endif
