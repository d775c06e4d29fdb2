# The start of every program. `prepare` runs when the interpreter starts, and what it leaves becomes the image; `start` runs with each
# program. Parts that follow register what they do at both times.
import builtins
import gc
import io
import json
import os
import sys

_O_RDWR = os.O_RDWR
_preparations = []
_beginnings = []


def ask(name, *given):
    """Asks the shell. Its failures are those of system calls."""
    device = os.open('/dev/polyfs', _O_RDWR)
    try:
        os.write(device, json.dumps([name, *given]).encode('utf-8', 'surrogatepass'))
        pieces = []
        while piece := os.read(device, 1 << 20):
            pieces.append(piece)
    finally:
        os.close(device)
    answer = json.loads(b''.join(pieces).decode('utf-8', 'surrogatepass'))
    if 'error' in answer:
        raise OSError(answer['error'], os.strerror(answer['error']))
    return answer['value']


def preparation(function):
    _preparations.append(function)
    return function


def beginning(function):
    _beginnings.append(function)
    return function


def prepare():
    for function in _preparations:
        function()
    gc.collect()
    gc.freeze()


def start():
    """Returns what runs, or None where the file or the code is run by the interpreter itself."""
    given = ask('start')
    for function in _beginnings:
        function(given)
    return _target(given)


@beginning
def _environment(given):
    os.environ.clear()
    os.environ.update(given['env'])
    sys.orig_argv[:] = given['called']
    _tzset()


@beginning
def _virtual_environment(given):
    # Set by the program `python` of a virtual environment.
    launcher = os.environ.pop('__PYVENV_LAUNCHER__', None)
    if launcher is None:
        return
    sys.executable = os.path.abspath(launcher)
    sys.prefix = sys.exec_prefix = os.path.dirname(os.path.dirname(sys.executable))
    if 'site' in sys.modules:
        sys.modules['site'].PREFIXES[:] = [sys.prefix, sys.exec_prefix]


@beginning
def _streams(given):
    unbuffered = given['flags']['unbuffered']
    encoding, _, errors = os.environ.get('PYTHONIOENCODING', '').partition(':')
    for descriptor, name, mode in (0, 'stdin', 'r'), (1, 'stdout', 'w'), (2, 'stderr', 'w'):
        handling = 'backslashreplace' if descriptor == 2 else errors or 'surrogateescape'
        stream = open(descriptor, mode + 'b', closefd=False, buffering=0 if unbuffered and mode == 'w' else -1)
        text = io.TextIOWrapper(
            stream,
            encoding=encoding or 'utf-8',
            errors=handling,
            line_buffering=descriptor == 2,
            write_through=unbuffered and mode == 'w',
        )
        (text.buffer.raw if hasattr(text.buffer, 'raw') else text.buffer).name = f'<{name}>'
        text.mode = mode
        setattr(sys, name, text)
        setattr(sys, f'__{name}__', text)


@beginning
def _random(given):
    if 'random' in sys.modules:
        sys.modules['random'].seed()


@beginning
def _paths(given):
    isolated = given['flags']['isolated']
    extra = [] if isolated else [os.path.abspath(part) for part in os.environ.get('PYTHONPATH', '').split(':') if part]
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    home = os.environ.get('HOME', '')
    sites = [] if isolated or not home else [f'{home}/.local/lib/{version}/site-packages']
    sites += [f'/usr/local/lib/{version}/site-packages', f'/usr/lib/{version}/site-packages']
    if sys.prefix != sys.base_prefix:
        sites = [f'{sys.prefix}/lib/{version}/site-packages', *(sites if _sees_system(sys.prefix) else [])]
    sys.path[:0] = extra
    for directory in sites:
        if os.path.isdir(directory):
            import site

            site.addsitedir(directory)


def _sees_system(prefix):
    try:
        with open(os.path.join(prefix, 'pyvenv.cfg'), encoding='utf-8') as file:
            lines = [line.partition('=') for line in file]
    except OSError:
        return False
    return any(name.strip() == 'include-system-site-packages' and value.strip().lower() == 'true' for name, _, value in lines)


@beginning
def _compiled_files(given):
    # Beside the files for time's sake, and never among them.
    place = os.environ.get('TMPDIR')
    sys.pycache_prefix = os.path.join(place, '.python-cache') if place else None
    sys.dont_write_bytecode = not place or bool(os.environ.get('PYTHONDONTWRITEBYTECODE')) or given['flags']['forgets']


@beginning
def _warnings(given):
    options = [] if given['flags']['isolated'] else [part for part in os.environ.get('PYTHONWARNINGS', '').split(',') if part]
    options += given['flags']['warnings']
    sys.warnoptions[:] = options
    for option in given['flags']['x']:
        name, equals, value = option.partition('=')
        sys._xoptions[name] = value if equals else True
    if options:
        import warnings

        warnings._processoptions(options)


@beginning
def _limits(given):
    digits = os.environ.get('PYTHONINTMAXSTRDIGITS')
    if digits and digits.isdigit():
        sys.set_int_max_str_digits(int(digits))


def _target(given):
    target = given['target']
    kind = target['kind']
    if kind == 'code':
        sys.argv[:] = ['-c', *given['args']]
        _first_path(given, '')
        return _code(target['code'])
    elif kind == 'module':
        sys.argv[:] = ['-m', *given['args']]
        _first_path(given, os.getcwd())
        import functools
        import runpy

        return functools.partial(runpy._run_module_as_main, target['name'])
    elif kind == 'stdin':
        sys.argv[:] = ['-' if '-' in given['called'] else '', *given['args']]
        _first_path(given, '')
    else:
        return _file(given, target['path'])
    return None


def _code(source):
    import functools
    import linecache
    import textwrap

    import __main__

    source = textwrap.dedent(source)
    try:
        code = compile(source, '<string>', 'exec', dont_inherit=True)
    except (SyntaxError, ValueError):
        # The interpreter reports it.
        return None
    linecache._register_code(code, source, '<string>')
    return functools.partial(exec, code, __main__.__dict__)


def greet():
    print(end='', flush=True)
    flags = ask('start')['flags']
    if not flags['quiet'] and ask('start')['target']['kind'] == 'stdin':
        print(f'Python {sys.version} on {sys.platform}\nType "help", "copyright", "credits" or "license" for more information.', file=sys.stderr)


def _file(given, path):
    sys.argv[:] = [path, *given['args']]
    try:
        with open(path, 'rb') as file:
            is_archive = file.read(4) == b'PK\x03\x04'
    except IsADirectoryError:
        is_archive = True
    except OSError as error:
        shown = os.path.join(os.getcwd(), path)
        print(f"{sys.executable}: can't open file {shown!r}: [Errno {linux_number(error.errno)}] {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    if is_archive:
        return _package(path)
    _first_path(given, os.path.dirname(os.path.realpath(path)))
    return _from_second_line(path) if given['flags']['skipsLine'] else None


def _from_second_line(path):
    import functools

    import __main__

    with open(path, 'rb') as file:
        file.readline()
        source = b'\n' + file.read()
    __main__.__file__ = os.path.abspath(path)
    try:
        code = compile(source, __main__.__file__, 'exec', dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        import traceback

        traceback.print_exception(type(error), error, None)
        raise SystemExit(1) from None
    return functools.partial(exec, code, __main__.__dict__)


def _package(path):
    import functools
    import runpy

    sys.path.insert(0, path)
    return functools.partial(runpy._run_module_as_main, '__main__', False)


def _first_path(given, path):
    flags = given['flags']
    if not flags['isolated'] and not flags['config'].get('safe_path') and not os.environ.get('PYTHONSAFEPATH'):
        sys.path.insert(0, path)
