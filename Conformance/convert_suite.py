"""Convert the autobahntestsuite sdist (Python 2) to Python 3 and install it.

Model: in the converted suite every Python 2 byte string stays a Python 3 `str`
whose characters are the octets (latin-1).  Octets are converted at one boundary
only: FuzzingProtocol.sendFrame/sendMessage/sendMessageFrameData/sendCloseFrame
(str -> bytes) and onMessage/onPong (bytes -> str).  Sources are therefore read
as latin-1, so that a non-ASCII literal such as "Hello-µ" keeps its octets.
"""
import os, re, shutil, sys, sysconfig, warnings
warnings.simplefilter("ignore")
from lib2to3.refactor import RefactoringTool

src = sys.argv[1]
site = sysconfig.get_paths()["purelib"]
pkg = os.path.join(src, "autobahntestsuite")

FIX = ["except", "print", "has_key", "import", "raise", "xrange", "dict", "unicode", "ne"]
tool = RefactoringTool(["lib2to3.fixes.fix_" + f for f in FIX])
SKIP = re.compile(r"^(wamp.*|wsperf.*|testdb|testrun|rinterfaces|interfaces|serializer)\.py$")

def sub(text, name, old, new, count):
    n = text.count(old)
    if n != count:
        raise SystemExit("port: %s: expected %d of %r, found %d" % (name, count, old, n))
    return text.replace(old, new)

COMPAT = '''\
"""Octet helpers of the Python 3 conversion: str here means latin-1 octets."""
import binascii as _binascii

def to_bytes(x):
   return x.encode("latin-1") if isinstance(x, str) else x

def to_str(x):
   return x.decode("latin-1") if isinstance(x, (bytes, bytearray)) else x

def text(x):
   """UTF-8 text for reports."""
   return x.decode("utf8", "replace") if isinstance(x, (bytes, bytearray)) else x

def b2a_hex(x):
   return _binascii.b2a_hex(to_bytes(x)).decode("ascii")

hexlify = b2a_hex
'''

PATCH = {}   # path -> [(old, new, count)], applied before lib2to3
# 9.9 is not in the list of active cases and needs a zope.interface API that is gone
PATCH["case/__init__.py"] = [("from case9_9_1 import *\n", "", 1)]
# newer txaio must be told which framework to use
PATCH["choosereactor.py"] = [("import sys, json\n", "import sys, json\nimport txaio\ntxaio.use_twisted()\n", 1)]
PATCH["testee.py"] = [("   listenWS(factory, sslContext)\n", "   listenWS(factory, sslContext, interface = '127.0.0.1')\n", 1)]
PATCH["report.py"] = [("import jinja2\n", "", 1)]
CUT = {"report.py": "REPORT_DIR_PERMISSIONS = 0770"}   # the rest is the WAMP report generator
PATCH["wstest.py"] = [
    ("import serializer\n", "", 1),
    ("         return serializer.start(outfilename = self.options['outfile'], debug = self.debug)\n",
     "         raise Exception('mode not available in the Python 3 conversion')\n", 1),
]
PATCH["case/case.py"] = [
    ("import pickle\n", "", 1),
    # Python 2 compared pickles; plain equality is what is meant
    ("return pickle.dumps(obj1) == pickle.dumps(obj2)", "return obj1 == obj2", 1),
]
PATCH["case/case6_x_x.py"] = [
    ("res = v.validate(vss[:i])", "res = v.validate(to_bytes(vss[:i]))", 1),
    ("import binascii\nfrom case import Case\n",
     "from autobahntestsuite import py3octets as binascii\nfrom autobahntestsuite.py3octets import to_bytes\nfrom case import Case\n", 1),
    ("(object, Case, )", "(Case, )", 1),
]
PATCH["case/case7_5_1.py"] = [("import binascii\n", "from autobahntestsuite import py3octets as binascii\n", 1)]
for c in ("6_2_1", "6_2_2", "6_2_3", "6_2_4", "6_3_1", "6_3_2", "6_4_1", "6_4_2", "6_4_3", "6_4_4"):
    PATCH["case/case%s.py" % c] = [("import binascii\n", "from autobahntestsuite import py3octets as binascii\n", 1)]
for c in ("7_7_X", "7_9_X"):
    PATCH["case/case%s.py" % c] = [("(object, Case, )", "(Case, )", 1)]
PATCH["case/case9_7_X.py"] = [("(object, Case, )", "(Case, )", 1)]
PATCH["case/case10_1_1.py"] = [("len(self.payload) / self.p", "len(self.payload) // self.p", 1)]
PATCH["case/case12_x_x.py"] = [
    ("import copy, os, pkg_resources, hashlib, binascii\n",
     "import copy, os, pkg_resources, hashlib\nfrom autobahntestsuite import py3octets as binascii\nfrom autobahntestsuite.py3octets import to_bytes\n", 1),
    ("(object, Case, )", "(Case, )", 2),
    # payloads are real bytes in this section
    ("      msg = ''\n", "      msg = b'' if self.TESTDATA['binary'] else ''\n", 1),
    ("def onMessage(self, msg, binary):\n", "def onMessage(self, msg, binary):\n   msg = to_bytes(msg)\n", 1),
]
PATCH["fuzzing.py"] = [
    ("import os, json, binascii, time, textwrap, pkg_resources\n",
     "import os, json, time, textwrap, pkg_resources\nfrom autobahntestsuite import py3octets as binascii\nfrom autobahntestsuite.py3octets import to_bytes, to_str, text\n", 1),
    # listen on loopback unless the spec says otherwise
    ("   listenWS(factory, sslContext)\n", "   listenWS(factory, sslContext, interface = spec.get('interface', '127.0.0.1'))\n", 1),
    # TLS needs pyOpenSSL; plain TCP must not
    ("from twisted.internet import reactor, ssl\n",
     "from twisted.internet import reactor\ntry:\n   from twisted.internet import ssl\nexcept ImportError:\n   ssl = None\n", 1),
    ("            self.contextFactory = ssl.ClientContextFactory()\n",
     "            self.contextFactory = ssl.ClientContextFactory() if ssl else None\n", 1),
    ("   ellipses = \" ...\"\n   if len(data) > maxlen - len(ellipses):\n      dd = binascii",
     "   ellipses = \" ...\"\n   data = to_bytes(data)\n   if len(data) > maxlen - len(ellipses):\n      dd = binascii", 1),
    ("   ellipses = \" ...\"\n   try:\n", "   ellipses = b\" ...\"\n   data = to_bytes(data)\n   try:\n", 1),
    ("         p = ''.join(payload)\n", "         p = b''.join(payload)\n", 1),
    ('"localCloseReason": self.localCloseReason,', '"localCloseReason": text(self.localCloseReason),', 1),
    ('"remoteCloseReason": self.remoteCloseReason,', '"remoteCloseReason": text(self.remoteCloseReason),', 1),
    ("self.http_request_data if hasattr(self, 'http_request_data')", "text(self.http_request_data) if hasattr(self, 'http_request_data')", 1),
    ("self.http_response_data if hasattr(self, 'http_response_data')", "text(self.http_response_data) if hasattr(self, 'http_response_data')", 1),
    ("   def onPong(self, payload):\n      if self.runCase:\n         self.runCase.onPong(payload)\n      else:\n         if self.debug:\n            log.msg(\"Pong received: \" + payload)\n",
     '''   ## octet boundary of the Python 3 conversion (see py3octets)
   ##
   def sendFrame(self, opcode, payload = b'', fin = True, rsv = 0, mask = None, payload_len = None, chopsize = None, sync = False):
      return super().sendFrame(opcode = opcode, payload = to_bytes(payload), fin = fin, rsv = rsv, mask = to_bytes(mask), payload_len = payload_len, chopsize = chopsize, sync = sync)

   def sendMessage(self, payload, isBinary = False, fragmentSize = None, sync = False, doNotCompress = False):
      return super().sendMessage(to_bytes(payload), isBinary, fragmentSize, sync, doNotCompress)

   def sendMessageFrameData(self, payload, sync = False):
      return super().sendMessageFrameData(to_bytes(payload), sync)

   def sendCloseFrame(self, code = None, reasonUtf8 = None, isReply = False):
      return super().sendCloseFrame(code = code, reasonUtf8 = to_bytes(reasonUtf8), isReply = isReply)


   def onPong(self, payload):
      if self.runCase:
         self.runCase.onPong(to_str(payload))
      else:
         if self.debug:
            log.msg("Pong received: " + to_str(payload))
''', 1),
    ("         self.runCase.onMessage(msg, binary)\n", "         self.runCase.onMessage(to_str(msg), binary)\n", 1),
    ("(c[0], case[c[0]], c[1])).encode(\"utf-8\"))", "(c[0], case[c[0]], c[1])))", 1),
    ("ll.encode('utf8')", "ll", 1),
    ("report_filename), 'w')", "report_filename), 'w', encoding = 'utf-8')", 4),
]

seen = set()
for base, dirs, files in os.walk(pkg):
    rel = os.path.relpath(base, pkg)
    if rel not in (".", "case"):
        continue
    for f in sorted(files):
        if not f.endswith(".py"):
            continue
        path = os.path.join(base, f)
        name = f if rel == "." else "case/" + f
        if rel == "." and SKIP.match(f):
            os.unlink(path); continue
        with open(path, "rb") as h:
            t = h.read().decode("latin-1").replace("\r\n", "\n")
        for old, new, count in PATCH.get(name, []):
            t = sub(t, name, old, new, count)
        if name in PATCH: seen.add(name)
        if name in CUT:
            sub(t, name, CUT[name], "", 1)
            t = t[:t.index(CUT[name])]
        if not t.endswith("\n"): t += "\n"
        t = str(tool.refactor_string(t, path))
        compile(t, name, "exec")
        with open(path + ".new", "w", encoding="utf-8") as h:
            h.write(t)
# lib2to3's import fixer looks at sibling files, so replace only at the end
for base, dirs, files in os.walk(pkg):
    for f in files:
        if f.endswith(".py.new"):
            os.replace(os.path.join(base, f), os.path.join(base, f[:-4]))
missing = set(PATCH) - seen
if missing: raise SystemExit("port: not found: %s" % sorted(missing))
with open(os.path.join(pkg, "py3octets.py"), "w") as h: h.write(COMPAT)
for d in ("wampcase",):
    shutil.rmtree(os.path.join(pkg, d), ignore_errors=True)
dst = os.path.join(site, "autobahntestsuite")
shutil.rmtree(dst, ignore_errors=True)
shutil.copytree(pkg, dst)

# autobahn 0.10.9: one Python 2 division on the path the suite uses
p = os.path.join(site, "autobahn", "websocket", "protocol.py")
with open(p, encoding="utf-8") as h: t = h.read()
t = sub(t, "autobahn/websocket/protocol.py", "range(payload_len / len(payload))", "range(payload_len // len(payload))", 1)
with open(p, "w", encoding="utf-8") as h: h.write(t)
