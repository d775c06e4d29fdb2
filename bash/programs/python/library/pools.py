# `Pool` and `ProcessPoolExecutor`, on workers. The originals have threads for what a parent does here while it waits.


def _pool_class():
    import itertools
    from multiprocessing import TimeoutError, pool as pools

    class Result:
        def __init__(self, workers, callback=None, error_callback=None, count=1, collect=None):
            self._workers, self._callback, self._error_callback = workers, callback, error_callback
            self._left, self._found, self._collect = count, {}, collect
            self._success = True
            self._value = None
            if count == 0:
                self._end([])

        def _done(self, index, success, value):
            if self._success and not success:
                self._success, self._value = False, value
            self._found[index] = value
            self._left -= 1
            if self._left == 0:
                self._end([self._found[at] for at in range(len(self._found))])

        def _end(self, values):
            if self._success:
                self._value = self._collect(values) if self._collect else values[0]
            callback = self._callback if self._success else self._error_callback
            if callback:
                callback(self._value)

        def ready(self):
            self._workers.step(wait=False)
            return self._left == 0

        def successful(self):
            if not self.ready():
                raise ValueError(f'{self!r} not ready')
            return self._success

        def wait(self, timeout=None):
            if timeout is None:
                return self._workers.until(lambda: self._left == 0)
            end = time.monotonic() + timeout
            while not self.ready() and time.monotonic() < end:
                time.sleep(0.01)

        def get(self, timeout=None):
            self.wait(timeout)
            if self._left > 0:
                raise TimeoutError
            if self._success:
                return self._value
            raise self._value

    class Pool:
        """As `multiprocessing.pool.Pool`, whose threads this Python lacks."""

        def __init__(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None, context=None):
            if processes is None:
                processes = os.process_cpu_count() or 1
            if processes < 1:
                raise ValueError('Number of processes must be at least 1')
            if maxtasksperchild is not None and (not isinstance(maxtasksperchild, int) or maxtasksperchild <= 0):
                raise ValueError('maxtasksperchild must be a positive int or None')
            if initializer is not None and not callable(initializer):
                raise TypeError('initializer must be a callable')
            self._processes, self._state = processes, 'RUN'
            lost = lambda: RuntimeError('a process of the pool ended before its task')
            self._workers = Workers(processes, 'ForkServerPoolWorker', initializer, initargs, maxtasksperchild, lost)

        def __repr__(self):
            return f'<multiprocessing.pool.Pool state={self._state} pool_size={self._processes}>'

        def _check_running(self):
            if self._state != 'RUN':
                raise ValueError('Pool not running')

        def _many(self, function, iterable, mapper, chunksize, callback=None, error_callback=None):
            self._check_running()
            values = list(iterable)
            if chunksize is None:
                chunksize, extra = divmod(len(values), self._processes * 4)
                chunksize += 1 if extra else 0
            if len(values) == 0:
                chunksize = 1
            chunks = [(function, tuple(values[at : at + chunksize])) for at in range(0, len(values), chunksize)]
            result = Result(
                self._workers, callback, error_callback, len(chunks), lambda found: list(itertools.chain.from_iterable(found))
            )
            for index, chunk in enumerate(chunks):
                self._workers.submit(lambda *end, index=index: result._done(index, *end), mapper, (chunk,), {})
            return result

        def _lazy(self, function, iterable, chunksize, ordered):
            self._check_running()
            if chunksize < 1:
                raise ValueError(f'Chunksize must be 1+, not {chunksize:n}')
            found, order = {}, []

            def done(index, *end):
                found[index] = end
                order.append(index)

            count = -1
            for count, value in enumerate(iterable):
                self._workers.submit(lambda *end, index=count: done(index, *end), function, (value,), {})

            def results():
                for at in range(count + 1):
                    self._workers.until(lambda: at in found if ordered else len(order) > at)
                    success, value = found[at if ordered else order[at]]
                    if not success:
                        raise value
                    yield value

            return results()

        def apply(self, func, args=(), kwds={}):
            return self.apply_async(func, args, kwds).get()

        def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
            self._check_running()
            result = Result(self._workers, callback, error_callback)
            self._workers.submit(lambda *end: result._done(0, *end), func, args, kwds)
            return result

        def map(self, func, iterable, chunksize=None):
            return self._many(func, iterable, pools.mapstar, chunksize).get()

        def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
            return self._many(func, iterable, pools.mapstar, chunksize, callback, error_callback)

        def starmap(self, func, iterable, chunksize=None):
            return self._many(func, iterable, pools.starmapstar, chunksize).get()

        def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
            return self._many(func, iterable, pools.starmapstar, chunksize, callback, error_callback)

        def imap(self, func, iterable, chunksize=1):
            return self._lazy(func, iterable, chunksize, True)

        def imap_unordered(self, func, iterable, chunksize=1):
            return self._lazy(func, iterable, chunksize, False)

        def close(self):
            if self._state == 'RUN':
                self._state = 'CLOSE'

        def terminate(self):
            self._state = 'TERMINATE'
            self._workers.end(at_once=True)

        def join(self):
            if self._state == 'RUN':
                raise ValueError('Pool is still running')
            self._workers.end(at_once=self._state == 'TERMINATE')

        def __enter__(self):
            self._check_running()
            return self

        def __exit__(self, *given):
            self.terminate()

    return Pool


def _executor_in_children():
    import concurrent.futures.process as processes
    from concurrent.futures import Future

    def init(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        if max_workers is None:
            max_workers = os.process_cpu_count() or 1
        elif max_workers <= 0:
            raise ValueError('max_workers must be greater than 0')
        if initializer is not None and not callable(initializer):
            raise TypeError('initializer must be a callable')
        if max_tasks_per_child is not None and max_tasks_per_child <= 0:
            raise ValueError('max_tasks_per_child must be >= 1')
        self._max_workers = max_workers
        self._broken = False

        def lost():
            self._broken = True
            return processes.BrokenProcessPool(
                'A process in the process pool was terminated abruptly while the future was running or pending.'
            )

        self._ended = False
        self._workers = Workers(max_workers, 'ForkServerProcess', initializer, initargs, max_tasks_per_child, lost)

    def submit(self, fn, /, *args, **kwargs):
        if self._broken:
            raise processes.BrokenProcessPool('A child process terminated abruptly, the process pool is not usable anymore')
        if self._ended:
            raise RuntimeError('cannot schedule new futures after shutdown')
        future = Future()

        def done(success, value):
            if future.set_running_or_notify_cancel():
                future.set_result(value) if success else future.set_exception(value)

        self._workers.submit(done, fn, args, kwargs, future.cancel)
        run_later(lambda: self._workers.until(future.done))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._ended = True
        if cancel_futures:
            self._workers.tasks, tasks = [], self._workers.tasks
            for task in tasks:
                task.cancel()
        if wait:
            self._workers.end()

    own = {'__init__': init, 'submit': submit, 'shutdown': shutdown}
    for name, member in own.items():
        setattr(processes.ProcessPoolExecutor, name, member)


@preparation
def _processes_of_python():
    class SemLock:
        SEM_VALUE_MAX = 2**31 - 1

        def __new__(cls, *given):
            _process_refused('Lock')()

    _module('_multiprocessing', SemLock=SemLock, sem_unlink=_process_refused('Lock'), flags={})
    import multiprocessing
    from multiprocessing import context, pool

    pool.Pool = _pool_class()
    for kind in context.SpawnProcess, context.ForkServerProcess:
        kind._Popen = staticmethod(ProcessStarted)
    context.ForkProcess._Popen = staticmethod(_process_refused("get_context('fork')"))
    for name in _shared:
        refuse = _process_refused(name)
        setattr(context.BaseContext, name, refuse)
        setattr(multiprocessing, name, refuse)
    _executor_in_children()
