# Errors print the numbers of Linux. The engine has others, and `errno` and `OSError.errno` agree with it: see docs/decisions.

import errno as _errno

_linux = {
    'EPERM': 1, 'ENOENT': 2, 'ESRCH': 3, 'EINTR': 4, 'EIO': 5, 'ENXIO': 6, 'E2BIG': 7, 'ENOEXEC': 8, 'EBADF': 9, 'ECHILD': 10,
    'EAGAIN': 11, 'ENOMEM': 12, 'EACCES': 13, 'EFAULT': 14, 'EBUSY': 16, 'EEXIST': 17, 'EXDEV': 18, 'ENODEV': 19, 'ENOTDIR': 20,
    'EISDIR': 21, 'EINVAL': 22, 'ENFILE': 23, 'EMFILE': 24, 'ENOTTY': 25, 'ETXTBSY': 26, 'EFBIG': 27, 'ENOSPC': 28, 'ESPIPE': 29,
    'EROFS': 30, 'EMLINK': 31, 'EPIPE': 32, 'EDOM': 33, 'ERANGE': 34, 'EDEADLK': 35, 'ENAMETOOLONG': 36, 'ENOLCK': 37, 'ENOSYS': 38,
    'ENOTEMPTY': 39, 'ELOOP': 40, 'EILSEQ': 84, 'EOVERFLOW': 75, 'ENOTSUP': 95, 'EOPNOTSUPP': 95, 'EADDRINUSE': 98,
    'ECONNREFUSED': 111, 'ECONNRESET': 104, 'ECONNABORTED': 103, 'ETIMEDOUT': 110, 'EALREADY': 114, 'EINPROGRESS': 115,
    'EAFNOSUPPORT': 97, 'ENOTSOCK': 88, 'EISCONN': 106, 'ENOTCONN': 107, 'ENETUNREACH': 101, 'EHOSTUNREACH': 113, 'EPROTONOSUPPORT': 93,
}
_numbers = {getattr(_errno, name): number for name, number in _linux.items() if hasattr(_errno, name)}


# What the C library of Linux says in other words.
_texts = {
    'ELOOP': 'Too many levels of symbolic links', 'EXDEV': 'Invalid cross-device link', 'EIO': 'Input/output error',
    'EBUSY': 'Device or resource busy', 'ENOTSUP': 'Operation not supported', 'ENOTTY': 'Inappropriate ioctl for device',
    'EAGAIN': 'Resource temporarily unavailable', 'ENOSYS': 'Function not implemented', 'ENAMETOOLONG': 'File name too long',
    'EPROTONOSUPPORT': 'Protocol not supported', 'EAFNOSUPPORT': 'Address family not supported by protocol',
    'EMFILE': 'Too many open files', 'ENETUNREACH': 'Network is unreachable', 'EHOSTUNREACH': 'No route to host', 'ENOMEM': 'Cannot allocate memory', 'ERANGE': 'Numerical result out of range',
    'EDOM': 'Numerical argument out of domain', 'ETXTBSY': 'Text file busy', 'EBADF': 'Bad file descriptor',
}
_own_texts = {getattr(_errno, name): text for name, text in _texts.items()}
_strerror = os.strerror


def linux_text(number, /):
    return _own_texts.get(number) or _strerror(number)


def linux_number(number):
    return _numbers.get(number, number)


def _shown(error):
    number, text = error.errno, error.strerror
    if number is None or text is None:
        return BaseException.__str__(error)
    # A program may give a number of Linux itself, with its own text.
    if text in (_strerror(number), linux_text(number)):
        number, text = linux_number(number), linux_text(number)
    if error.filename2 is not None:
        return f'[Errno {number}] {text}: {error.filename!r} -> {error.filename2!r}'
    if error.filename is not None:
        return f'[Errno {number}] {text}: {error.filename!r}'
    return f'[Errno {number}] {text}'


@preparation
def _show_errors():
    os.strerror = linux_text
    ask('changes', True)
    # The dictionary that is looked up; the assignment makes types below take it over.
    gc.get_referents(OSError.__dict__)[0]['__str__'] = _shown
    OSError.__str__ = _shown
    ask('changes', False)
