# Sockets are those of a machine that is offline: they can be made, no name is known, and nobody answers. Servers are refused by name.


def _address_of(host, flags=0):
    """Of a name that needs no network."""
    import ipaddress
    import socket

    name = host.decode() if isinstance(host, bytes) else host
    if name is None:
        return '0.0.0.0' if flags & socket.AI_PASSIVE else '127.0.0.1'
    if name in ('localhost', os.uname().nodename):
        return '127.0.0.1'
    try:
        return str(ipaddress.ip_address(name or '0.0.0.0'))
    except ValueError:
        raise socket.gaierror(socket.EAI_AGAIN, 'Temporary failure in name resolution') from None


def _getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    import socket

    address = _address_of(host, flags)
    number = int(port) if port else 0
    six = ':' in address
    kinds = [(socket.SOCK_STREAM, 6), (socket.SOCK_DGRAM, 17)]
    return [
        (socket.AF_INET6 if six else socket.AF_INET, kind, protocol, '', (address, number, 0, 0) if six else (address, number))
        for kind, protocol in kinds
        if type in (0, kind)
    ]


@preparation
def _offline():
    import _socket
    import socket

    def failure(address):
        if not isinstance(address, tuple):
            return _errno.ENOENT
        return _errno.ECONNREFUSED if _address_of(address[0]).startswith(('127.', '0.', '::1')) else _errno.ENETUNREACH

    def connect(self, address, /):
        number = failure(address)
        raise OSError(number, os.strerror(number))

    def refused(self, *given):
        raise OSError('servers are not supported by this Python, which has no network')

    own = {
        'connect': connect,
        'connect_ex': lambda self, address, /: failure(address),
        'bind': refused,
        'listen': refused,
        'setsockopt': lambda self, *given: None,
    }
    for name, member in own.items():
        setattr(socket.socket, name, member)
    _socket.getaddrinfo = _getaddrinfo
    socket.gethostbyname = _socket.gethostbyname = _address_of
    socket.gethostname = _socket.gethostname = lambda: os.uname().nodename
