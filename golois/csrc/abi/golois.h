// The C surface as C++ sees it: golois_abi.h stays free of directives, since cffi reads it too.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "abi/golois_abi.h"

#ifdef __cplusplus
}
#endif
