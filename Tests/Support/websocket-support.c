// Gives FoundationNetworking on Linux the WebSocket functions of the libcurl that it is run with. The toolchain's own
// library was built against one without them, so these stand in its place when this is preloaded. See docs/transports.md.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct curl_ws_frame;
int curl_ws_recv(void *easy, void *buffer, size_t size, size_t *received, const struct curl_ws_frame **frame);
int curl_ws_send(void *easy, const void *buffer, size_t size, size_t *sent, int64_t fragment, unsigned flags);
const struct curl_ws_frame *curl_ws_meta(void *easy);

const int CFURLSessionWebSocketsText = 1, CFURLSessionWebSocketsBinary = 2, CFURLSessionWebSocketsCont = 4,
          CFURLSessionWebSocketsClose = 8, CFURLSessionWebSocketsPing = 16, CFURLSessionWebSocketsPong = 64;

bool CFURLSessionWebSocketsSupported(void) { return true; }

int CFURLSessionEasyHandleWebSocketsReceive(
    void *easy, void *buffer, size_t size, size_t *received, const struct curl_ws_frame **frame) {
    return curl_ws_recv(easy, buffer, size, received, frame);
}

int CFURLSessionEasyHandleWebSocketsSend(
    void *easy, const void *buffer, size_t size, size_t *sent, int64_t fragment, unsigned flags) {
    return curl_ws_send(easy, buffer, size, sent, fragment, flags);
}

const struct curl_ws_frame *CFURLSessionEasyHandleWebSocketsMetadata(void *easy) { return curl_ws_meta(easy); }
