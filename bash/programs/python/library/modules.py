# In the image, what most programs load takes no time.

import importlib

_loaded = '''
abc argparse array ast asyncio atexit base64 binascii bisect bz2 calendar cmd code codecs collections.abc
configparser contextlib copy csv dataclasses datetime decimal difflib doctest email.message email.parser enum
fnmatch fractions functools getpass glob graphlib gzip hashlib heapq hmac html http http.client
importlib.metadata importlib.resources inspect io itertools json keyword linecache locale logging lzma math
numbers operator optparse pathlib pickle pkgutil platform pprint queue random re reprlib runpy sched secrets
select selectors shlex shutil signal sqlite3 stat statistics string struct subprocess sysconfig tarfile
tempfile textwrap threading token tokenize tomllib traceback types typing unittest unittest.mock urllib.parse
urllib.request uuid warnings weakref xml.etree.ElementTree zipfile zlib zoneinfo
'''


@preparation
def _usual_modules():
    for name in _loaded.split():
        importlib.import_module(name)


prepare()
