// Macros of OpenSSL 3 that do not import into Swift, as functions. No logic.
#ifndef HEARTWIRE_COPENSSL_H
#define HEARTWIRE_COPENSSL_H
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Macros with casts.
static const uint64_t heartwire_ssl_op_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t heartwire_ssl_op_no_compression = SSL_OP_NO_COMPRESSION;
static const int heartwire_bio_type = BIO_TYPE_SOURCE_SINK;
static const int heartwire_bio_retry_read = BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY;
static const int heartwire_bio_retry_flags = BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY;

static inline long heartwire_set_min_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version);
}
static inline long heartwire_min_version(SSL_CTX *context) {
  return SSL_CTX_get_min_proto_version(context);
}
static inline long heartwire_set_max_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_max_proto_version(context, version);
}
static inline long heartwire_set_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_mode(context, mode);
}
static inline long heartwire_set_session_cache_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline long heartwire_add1_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate);
}
static inline long heartwire_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name);
}
static inline long heartwire_mem_data(BIO *bio, char **bytes) {
  return BIO_get_mem_data(bio, bytes);
}
static inline EVP_PKEY *heartwire_make_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline int heartwire_certificate_count(const STACK_OF(X509) *chain) {
  return sk_X509_num(chain);
}
static inline X509 *heartwire_certificate_at(const STACK_OF(X509) *chain, int index) {
  return sk_X509_value(chain, index);
}
#endif
