# Children are commands of the shell.

import _posixsubprocess
import signal as _signal

# Children that could not begin: their status is known before anybody waits.
_never_began = {}
_own_id = os.getpid()


def _begin(arguments, program, directory, environment, descriptors):
    name = os.fsdecode(program)
    words = [os.fsdecode(word) for word in arguments]
    if '/' in name and ('/' not in words[0] and os.path.basename(name) == words[0]):
        name = words[0]
    if environment is None:
        values = dict(os.environ)
    else:
        values = dict(os.fsdecode(pair).split('=', 1) for pair in environment)
    for stream in sys.stdout, sys.stderr:
        if getattr(stream, 'write_through', False):
            stream.flush()
    return ask('spawn', [name, *words[1:]], values, directory, descriptors)


def _fork_exec(
    arguments, programs, close_all, kept, directory, environment, to_child_read, to_child_write, from_child_read,
    from_child_write, errors_read, errors_write, report_read, report_write, restore_signals, new_session, group, gid, gids,
    uid, umask, before, *rest,
):
    if before is not None:
        raise NotImplementedError('preexec_fn is not supported by this Python')
    own = [to_child_read, from_child_write, errors_write]
    descriptors = [index if descriptor == -1 else descriptor for index, descriptor in enumerate(own)]
    where = os.getcwd() if directory is None else os.path.join(os.getcwd(), os.fsdecode(directory))
    stage = b'noexec:chdir'
    try:
        if directory is not None and not os.path.isdir(where):
            os.listdir(where)
        stage = b''
        return _begin(arguments, programs[0], where, environment, descriptors)
    except OSError as error:
        os.write(report_write, b'OSError:%x:%s' % (error.errno, stage))
        child = -2 - len(_never_began)
        _never_began[child] = 255 << 8
        return child


def _status(number):
    # Negative for a signal.
    return -number if number < 0 else number << 8


def _waitpid(child, options, /):
    if child in _never_began:
        return child, _never_began.pop(child)
    run_waiting_threads()
    ended = ask('wait', child, not options & os.WNOHANG)
    return (0, 0) if ended is None else (ended['child'], _status(ended['status']))


def _kill(process, signal, /):
    signal = int(signal)
    if process in (_own_id, 0):
        return _signal.raise_signal(signal) if signal else None
    return ask('kill', process, signal)


def _system(command):
    import subprocess

    return _status(subprocess.call(command, shell=True))


def _execute(program, arguments, environment=None):
    pairs = None if environment is None else [os.fsencode(f'{name}={value}') for name, value in environment.items()]
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    child = _begin(arguments, program, os.getcwd(), pairs, [0, 1, 2])
    _, status = _waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status))


@preparation
def _processes():
    posix = sys.modules['posix']
    _posixsubprocess.fork_exec = _fork_exec
    own = {
        'waitpid': _waitpid,
        'kill': _kill,
        'system': _system,
        'execv': _execute,
        'execve': _execute,
        'wait': lambda: _waitpid(-1, 0),
        'WNOHANG': 1,
    }
    for name, member in own.items():
        setattr(os, name, member)
        setattr(posix, name, member)
    for name in 'WIFEXITED', 'WEXITSTATUS', 'WIFSIGNALED', 'WTERMSIG', 'WIFSTOPPED', 'WSTOPSIG':
        if not hasattr(os, name):
            setattr(os, name, _decoders[name])
    os.waitstatus_to_exitcode = lambda status: -(status & 127) if status & 127 else status >> 8


_decoders = {
    'WIFEXITED': lambda status: status & 127 == 0,
    'WEXITSTATUS': lambda status: status >> 8 & 255,
    'WIFSIGNALED': lambda status: status & 127 != 0,
    'WTERMSIG': lambda status: status & 127,
    'WIFSTOPPED': lambda status: False,
    'WSTOPSIG': lambda status: 0,
}
