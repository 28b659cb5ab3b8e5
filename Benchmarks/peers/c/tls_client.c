#include "common.h"
#include <poll.h>
#include <openssl/ssl.h>
// What OpenSSL alone needs: tls_client PORT SIZE WINDOW KIND SECONDS, as a client under test is called. TLS 1.3, one
// socket, bytes there and back without any frame around them; WINDOW messages are under way.
int main(int c,char**v){if(c<6){fprintf(stderr,"usage: tls_client PORT SIZE WINDOW KIND SECONDS\n");return 2;}
 long size=atol(v[2]),W=atol(v[3]);double secs=atof(v[5]);signal(SIGPIPE,SIG_IGN);
 SSL_CTX*x=SSL_CTX_new(TLS_client_method());SSL_CTX_set_min_proto_version(x,TLS1_3_VERSION);SSL_CTX_set_read_ahead(x,1);
 SSL_CTX_set_mode(x,SSL_MODE_ENABLE_PARTIAL_WRITE|SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
 int fd=tcp_connect(atoi(v[1]));SSL*s=SSL_new(x);SSL_set_fd(s,fd);if(SSL_connect(s)!=1){fprintf(stderr,"tls_client: no TLS\n");return 1;}
 nonblock(fd);char*msg=malloc(size);memset(msg,'x',size);size_t B=256*1024;char*buf=malloc(B);
 long outb=W*size,at=0;size_t inb=0;int ph=0;Meter m={0};double end=now()+0.2;m_start(&m);
 for(;;){int wr=0,got=0,r;
  while(outb>0){long q=size-at;if(q>outb)q=outb;r=SSL_write(s,msg+at,q);if(r<=0){if(SSL_get_error(s,r)!=SSL_ERROR_WANT_WRITE)return 1;wr=1;break;}outb-=r;at=(at+r)%size;}
  for(;;){r=SSL_read(s,buf,B);if(r<=0){if(SSL_get_error(s,r)!=SSL_ERROR_WANT_READ)return 1;break;}inb+=r;got=1;if(inb>=(size_t)size)break;}
  long k=inb/size;inb%=size;m.n+=k;outb+=k*size;
  if(k){double t=now();if(t>end){if(ph){m_end(&m);return 0;}ph=1;m_start(&m);end=now()+secs;}}
  if(!got){struct pollfd p={fd,POLLIN|(wr?POLLOUT:0),0};poll(&p,1,1000);}
 }}
