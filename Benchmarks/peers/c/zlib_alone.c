#include "common.h"
#include <zlib.h>
// What zlib alone needs for the messages of KIND d: each is deflated (level 1, no context takeover, as /d of
// cws_server agrees on) and inflated again, from memory to memory. Called as a client under test is; PORT, SIZE
// and WINDOW count for nothing.
int main(int c,char**v){
 if(c<7){fprintf(stderr,"usage: zlib_alone PORT SIZE WINDOW d SECONDS FILE\n");return 2;}
 double secs=atof(v[5]);FILE*f=fopen(v[6],"rb");if(!f){perror(v[6]);return 1;}
 static uint8_t text[16<<20];size_t n=fread(text,1,sizeof text,f);fclose(f);
 z_stream d={0},i={0};
 if(deflateInit2(&d,1,Z_DEFLATED,-15,8,Z_DEFAULT_STRATEGY)!=Z_OK||inflateInit2(&i,-15)!=Z_OK)return 1;
 size_t room=deflateBound(&d,n)+16;uint8_t*small=malloc(room),*back=malloc(n+16);Meter m={0};
 for(int warm=1;warm>=0;warm--){double end=now()+(warm?.2:secs);m_start(&m);
  while(now()<end)for(int k=0;k<16;k++){
   deflateReset(&d);d.next_in=text;d.avail_in=n;d.next_out=small;d.avail_out=room;
   if(deflate(&d,Z_SYNC_FLUSH)!=Z_OK||d.avail_in)return 1;
   inflateReset(&i);i.next_in=small;i.avail_in=room-d.avail_out;i.next_out=back;i.avail_out=n+16;
   if(inflate(&i,Z_SYNC_FLUSH)!=Z_OK||i.avail_out!=16||memcmp(back,text,16))return 1;
   m.n++;}}
 m_end(&m);return 0;}

