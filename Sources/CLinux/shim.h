// What Swift's Glibc module leaves out: epoll, eventfd, timerfd, accept4, getrandom.
#ifndef HEARTWIRE_CLINUX_H
#define HEARTWIRE_CLINUX_H
#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// accept4 is hidden from Swift unless _GNU_SOURCE was set before the first header.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

// Macros with casts do not import into Swift.
static const unsigned int heartwire_epoll_in = EPOLLIN;
static const unsigned int heartwire_epoll_out = EPOLLOUT;
static const unsigned int heartwire_epoll_err = EPOLLERR;
static const unsigned int heartwire_epoll_hup = EPOLLHUP;
static const unsigned int heartwire_epoll_rdhup = EPOLLRDHUP;
static const int heartwire_epoll_cloexec = EPOLL_CLOEXEC;
static const int heartwire_efd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int heartwire_tfd_flags = TFD_CLOEXEC | TFD_NONBLOCK;
static const int heartwire_tfd_abstime = TFD_TIMER_ABSTIME;
static const int heartwire_sock_flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
#endif
#endif
