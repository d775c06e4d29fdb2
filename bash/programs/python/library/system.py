# What a program sees of the system: that of the shell.
import time
import types

_sleep_error = 'sleep length must be non-negative'


def _tzset():
    zone = ask('zone', os.environ.get('TZ'))
    time.timezone, time.altzone = zone['offsets']
    time.tzname = tuple(zone['names'])
    time.daylight = int(time.timezone != time.altzone)


def _sleep(seconds, /):
    if isinstance(seconds, float) and seconds != seconds:
        raise ValueError('Invalid value NaN (not a number)')
    duration = float(seconds)
    if duration < 0:
        raise ValueError(_sleep_error)
    run_waiting_threads()
    ask('sleep', duration * 1000)


def _module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


@preparation
def _linux_names():
    sys.platform = 'linux'
    sys.implementation._multiarch = 'x86_64-linux-gnu'
    del sys._emscripten_info
    uname = os.uname_result(('Linux', 'localhost', '6.1.0', '#1 SMP', 'x86_64'))
    os.uname = lambda: uname
    sys.modules['posix'].uname = os.uname
    data = sys.modules.get('_sysconfigdata__emscripten_wasm32-emscripten')
    if data is None:
        import importlib

        data = importlib.import_module('_sysconfigdata__emscripten_wasm32-emscripten')
    sys.modules['_sysconfigdata__linux_x86_64-linux-gnu'] = data
    sys.modules['_sysconfigdata__linux_wasm32-emscripten'] = data
    import platform

    platform.architecture = lambda *given, **named: ('64bit', 'ELF')
    platform.libc_ver = lambda *given, **named: ('glibc', '2.36')


@preparation
def _without_javascript():
    for name in '_ctypes', 'js', 'pyodide_js', '_pyodide_core', '_pyodide', 'pyodide', 'pyodide_js._api':
        sys.modules[name] = None


@preparation
def _time():
    time.sleep = _sleep
    time.tzset = _tzset


@preparation
def _user():
    def one(*given):
        return 1000

    for name in 'getuid', 'geteuid', 'getgid', 'getegid':
        setattr(os, name, one)
    os.getgroups = lambda: [1000]
    os.getlogin = lambda: 'user'

    class struct_passwd(tuple):
        _names = ('pw_name', 'pw_passwd', 'pw_uid', 'pw_gid', 'pw_gecos', 'pw_dir', 'pw_shell')

        def __getattr__(self, name):
            if name in self._names:
                return self[self._names.index(name)]
            raise AttributeError(name)

    class struct_group(struct_passwd):
        _names = ('gr_name', 'gr_passwd', 'gr_gid', 'gr_mem')

    def user():
        return struct_passwd(('user', 'x', 1000, 1000, 'user', os.environ.get('HOME', '/'), '/bin/bash'))

    def group():
        return struct_group(('user', 'x', 1000, []))

    def by(kind, make, wanted):
        def find(key, /):
            if key != wanted:
                raise KeyError(f'{kind}: {"uid" if kind == "getpwuid()" else "name"} not found: {key!r}')
            return make()

        return find

    _module(
        'pwd',
        struct_passwd=struct_passwd,
        getpwuid=by('getpwuid()', user, 1000),
        getpwnam=by('getpwnam()', user, 'user'),
        getpwall=lambda: [user()],
    )
    _module(
        'grp',
        struct_group=struct_group,
        getgrgid=by('getgrgid()', group, 1000),
        getgrnam=by('getgrnam()', group, 'user'),
        getgrall=lambda: [group()],
    )


@preparation
def _no_timers():
    import signal

    def refuse(*given):
        raise NotImplementedError('timers that send signals are not supported by this Python')

    signal.alarm = signal.setitimer = refuse


@preparation
def _pair():
    # For loops of asyncio, which wake themselves through one.
    import socket

    class Pipe:
        def __init__(self, reader, writer):
            self._reader, self._writer = reader, writer

        def fileno(self):
            return self._reader if self._reader is not None else self._writer

        def recv(self, count):
            return os.read(self._reader, count)

        def send(self, data):
            return os.write(self._writer, data)

        def setblocking(self, flag):
            os.set_blocking(self.fileno(), flag)

        def close(self):
            for descriptor in self._reader, self._writer:
                if descriptor is not None:
                    os.close(descriptor)
            self._reader = self._writer = None

    def socketpair(*given):
        reader, writer = os.pipe()
        return Pipe(reader, None), Pipe(None, writer)

    socket.socketpair = socketpair
