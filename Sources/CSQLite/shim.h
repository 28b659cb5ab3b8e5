#ifndef HEARTWIRE_CSQLITE_H
#define HEARTWIRE_CSQLITE_H
#include <sqlite3.h>
#endif
