// What Swift's Glibc module leaves out: epoll, eventfd, timerfd, and two calls that glibc shows to
// GNU sources only. Defining _GNU_SOURCE here would give shared headers another shape than
// Swift's own Glibc module has, so those calls are declared by hand.
#ifndef HEARTWIRE_CLINUX_H
#define HEARTWIRE_CLINUX_H
#ifdef __linux__
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

struct sockaddr;
extern int accept4(int fd, struct sockaddr *address, unsigned int *length, int flags);
extern long getrandom(void *buffer, size_t count, unsigned int flags);

// Macros with casts do not import into Swift.
static const unsigned int heartwire_epoll_in = EPOLLIN;
static const unsigned int heartwire_epoll_out = EPOLLOUT;
static const unsigned int heartwire_epoll_err = EPOLLERR;
static const unsigned int heartwire_epoll_hup = EPOLLHUP;
static const int heartwire_epoll_cloexec = EPOLL_CLOEXEC;
static const int heartwire_efd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int heartwire_tfd_flags = TFD_CLOEXEC | TFD_NONBLOCK;
static const int heartwire_tfd_abstime = TFD_TIMER_ABSTIME;
// SOCK_CLOEXEC and SOCK_NONBLOCK have the values of the open(2) flags on Linux.
static const int heartwire_sock_flags = EFD_CLOEXEC | EFD_NONBLOCK;

// Links, and the addresses and routes of both families (rtnetlink(7)).
static const unsigned int heartwire_path_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR |
    RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;

/// Names the calling thread for debuggers; longer names are cut after 15 bytes.
static inline void heartwire_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
#endif
#endif
