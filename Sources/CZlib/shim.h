#ifndef HEARTWIRE_CZLIB_H
#define HEARTWIRE_CZLIB_H
#include <zlib.h>
#endif
