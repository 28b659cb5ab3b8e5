#ifndef HEARTWIRE_COPENSSL_H
#define HEARTWIRE_COPENSSL_H
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/rand.h>
#endif
