#include "common.h"
#include "ws.h"
#include <poll.h>
#include <strings.h>
#include <openssl/sha.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
// tls_server PORT CERT KEY: TLS 1.3 alone, one connection after the other. Echoes bytes as they are; a connection
// that begins with GET is a WebSocket, whose frames it unmasks and sends back. No UTF-8 check.
static uint8_t*in,*out;static size_t il,ic,oo,ol,oc;
static void grow(uint8_t**p,size_t*c,size_t need){if(need<=*c)return;*c=need*2;*p=realloc(*p,*c);if(!*p)exit(1);}
static void put(const void*p,size_t n){if(oo&&(oo+ol+n>oc||!ol)){memmove(out,out+oo,ol);oo=0;}grow(&out,&oc,oo+ol+n);memcpy(out+oo+ol,p,n);ol+=n;}
static int upgrade(void){in[il]=0;char*e=strstr((char*)in,"\r\n\r\n");if(!e)return 0;char*q=strcasestr((char*)in,"sec-websocket-key:");if(!q)return -1;
 q+=18;while(*q==' ')q++;char key[128];int i=0;while(*q!='\r'&&i<60)key[i++]=*q++;key[i]=0;strcat(key,"258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
 uint8_t d[20];SHA1((uint8_t*)key,strlen(key),d);char b64[64],r[256];EVP_EncodeBlock((uint8_t*)b64,d,20);
 int n=sprintf(r,"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",b64);
 put(r,n);size_t used=e+4-(char*)in;memmove(in,in+used,il-used);il-=used;return 1;}
static int frames(void){size_t off=0;for(;;){uint8_t b0;uint64_t len;int m=0;uint32_t key=0;size_t h=get_hdr(in+off,il-off,&b0,&len,&m,&key);
  if(!h||il-off-h<len)break;int op=b0&15;if(op==8)return -1;if(op!=10){if(op==9)b0=0x8a;if(m)xor_inplace(in+off+h,len,key);
   uint8_t hd[14];put(hd,put_hdr(hd,b0,len,0,0));put(in+off+h,len);}off+=h+len;}
 memmove(in,in+off,il-off);il-=off;return 0;}
static void serve(SSL*s,int fd){int kind=0,up=0;il=oo=ol=0;
 for(;;){int wr=0,r;size_t had=il;
  while(ol){r=SSL_write(s,out+oo,ol>1<<20?1<<20:ol);if(r<=0){if(SSL_get_error(s,r)!=SSL_ERROR_WANT_WRITE)return;wr=1;break;}oo+=r;ol-=r;}
  for(;;){grow(&in,&ic,il+(64<<10)+1);r=SSL_read(s,in+il,64<<10);if(r<=0){if(SSL_get_error(s,r)!=SSL_ERROR_WANT_READ)return;break;}il+=r;if(il>1<<20)break;}
  if(il==had&&!(ol&&!wr)){struct pollfd p={fd,POLLIN|(wr?POLLOUT:0),0};poll(&p,1,-1);continue;}
  if(!kind&&il>=4)kind=memcmp(in,"GET ",4)?1:2;
  if(kind==1){put(in,il);il=0;}
  else if(kind==2){if(!up&&(up=upgrade())<0)return;if(up&&frames())return;}
 }}
int main(int c,char**v){if(c<4){fprintf(stderr,"usage: tls_server PORT CERT KEY\n");return 2;}signal(SIGPIPE,SIG_IGN);
 SSL_CTX*x=SSL_CTX_new(TLS_server_method());SSL_CTX_set_min_proto_version(x,TLS1_3_VERSION);SSL_CTX_set_read_ahead(x,1);
 SSL_CTX_set_mode(x,SSL_MODE_ENABLE_PARTIAL_WRITE|SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
 if(SSL_CTX_use_certificate_chain_file(x,v[2])!=1||SSL_CTX_use_PrivateKey_file(x,v[3],SSL_FILETYPE_PEM)!=1){fprintf(stderr,"tls_server: no certificate\n");return 1;}
 int l=tcp_listen(atoi(v[1]));for(;;){int fd=accept(l,0,0),o=1;if(fd<0)continue;setsockopt(fd,IPPROTO_TCP,TCP_NODELAY,&o,4);
  SSL*s=SSL_new(x);SSL_set_fd(s,fd);if(SSL_accept(s)==1){nonblock(fd);serve(s,fd);}SSL_free(s);close(fd);}}
