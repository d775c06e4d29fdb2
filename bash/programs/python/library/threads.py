# Threads without threads: each runs to its end, when it starts or when another waits. Every result is one that real threads could give.
# One that would wait for what can't happen any more fails, and says so.

import _thread

_main = _thread.get_ident()
_running = [_main]
_waiting = []
_next = _main
_sleeps_before_waiting_run = 20
_message = 'this Python runs one thread at a time, each to its end: nothing is left that could end this wait'
# A function with these names waits for whoever starts it, as a consumer of a queue does, so it runs later.
_waits = {'get', 'wait', 'acquire', 'recv', 'join', 'is_set'}


def get_ident():
    return _running[-1]


class ThreadHandle:
    def __init__(self):
        self.ident = None
        self._done = False

    def is_done(self):
        return self._done

    def _set_done(self):
        self._done = True

    def join(self, timeout=None):
        while not self._done and _run_one(self):
            pass
        if self._done:
            return
        if timeout is None or timeout < 0:
            raise RuntimeError('Cannot join current thread' if self.ident == get_ident() else _message)
        ask('sleep', timeout * 1000)


class Lock:
    __slots__ = ('_locked', '__weakref__')

    def __init__(self):
        self._locked = False

    def acquire(self, blocking=True, timeout=-1):
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError('timeout value must be a non-negative number')
        if not self._locked:
            self._locked = True
            return True
        if not blocking:
            return False
        while self._locked and _run_one():
            pass
        if self._locked:
            if timeout == -1:
                raise RuntimeError(_message)
            ask('sleep', timeout * 1000)
            return False
        self._locked = True
        return True

    def release(self):
        if not self._locked:
            raise RuntimeError('release unlocked lock')
        self._locked = False

    def locked(self):
        return self._locked

    def _at_fork_reinit(self):
        self._locked = False

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *given):
        self.release()

    def __repr__(self):
        return f'<{"locked" if self._locked else "unlocked"} _thread.lock object at {id(self):#x}>'


def _run_one(wanted=None):
    """Runs a thread that waits for its turn; false when there is none."""
    for index, (handle, function) in enumerate(_waiting):
        if wanted is None or handle is wanted:
            del _waiting[index]
            _run(handle, function)
            return True
    return wanted is not None and _run_one()


def _run(handle, function):
    import contextvars

    asyncio = sys.modules.get('asyncio')
    loop = asyncio._get_running_loop() if asyncio else None
    if loop:
        asyncio._set_running_loop(None)
    _running.append(handle.ident)
    try:
        contextvars.Context().run(function)
    except SystemExit:
        pass
    finally:
        _running.pop()
        handle._set_done()
        if loop:
            asyncio._set_running_loop(loop)


_sleeps = 0


def run_waiting_threads():
    """Who sleeps again and again waits for a thread."""
    global _sleeps
    _sleeps += 1
    if _sleeps > _sleeps_before_waiting_run:
        while _run_one():
            pass


def _names(function):
    while hasattr(function, 'func'):
        function = function.func
    code = getattr(getattr(function, '__func__', function), '__code__', None)
    return set(code.co_names) if code else set()


def start_joinable_thread(function, handle=None, daemon=True):
    global _next
    if not callable(function):
        raise TypeError('thread function must be callable')
    _next += 1
    handle = handle or ThreadHandle()
    handle.ident = _next
    thread = getattr(function, '__self__', None)
    target = getattr(thread, '_target', None) or getattr(type(thread), 'run', None) or function
    if _names(target) & _waits and thread is not None:
        # Whoever starts it waits until it has begun.
        thread._started.set()
        handle.daemon = daemon
        _waiting.append((handle, function))
    else:
        _run(handle, function)
    return handle


def run_later(function):
    """Whoever waits for anything lets it run."""
    global _next
    _next += 1
    handle = ThreadHandle()
    handle.ident = _next
    handle.daemon = False
    _waiting.append((handle, function))


def start_new_thread(function, args, kwargs={}, /):
    def run():
        try:
            function(*args, **kwargs)
        except SystemExit:
            pass
        except BaseException as error:
            hook = sys.modules['threading'].excepthook
            hook(_thread._ExceptHookArgs([type(error), error, error.__traceback__, None]))

    return start_joinable_thread(run).ident


def _run_inline(executor):
    import queue
    import threading

    def work(item):
        try:
            if not hasattr(executor, '_own_context'):
                executor._own_context = executor._create_worker_context()
                executor._own_context.initialize()
        except BaseException:
            executor._initializer_failed()
            item.future.set_exception(executor.BROKEN('A thread initializer failed, the thread pool is not usable anymore'))
            return
        item.run(executor._own_context)

    while True:
        try:
            item = executor._work_queue.get_nowait()
        except queue.Empty:
            return
        if item is not None:
            threading.Thread(name=f'{executor._thread_name_prefix}_0', target=work, args=(item,)).start()


@preparation
def _threads():
    own = {
        'get_ident': get_ident,
        'get_native_id': get_ident,
        'allocate_lock': Lock,
        'allocate': Lock,
        'lock': Lock,
        'LockType': Lock,
        'start_joinable_thread': start_joinable_thread,
        'start_new_thread': start_new_thread,
        'start_new': start_new_thread,
        '_ThreadHandle': ThreadHandle,
    }
    for name, member in own.items():
        setattr(_thread, name, member)
    for name in 'threading', '_threading_local':
        sys.modules.pop(name, None)
    import threading

    import _threading_local

    threading.local = _thread._local = _threading_local.local
    # That of C knows nothing of these threads.
    threading._CRLock = None
    threading.Lock = Lock
    shutdown = threading._shutdown

    def run_all_and_shut_down():
        while any(not handle.daemon for handle, _ in _waiting):
            _run_one(next(handle for handle, _ in _waiting if not handle.daemon))
        shutdown()

    threading._shutdown = run_all_and_shut_down
    sys.modules['_queue'] = None
    import concurrent.futures.thread as pools

    submit = pools.ThreadPoolExecutor.submit

    def submit_and_run(self, fn, /, *args, **kwargs):
        future = submit(self, fn, *args, **kwargs)
        _run_inline(self)
        return future

    pools.ThreadPoolExecutor.submit = submit_and_run
    pools.ThreadPoolExecutor._adjust_thread_count = lambda self: None
