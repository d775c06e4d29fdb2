# Processes of `multiprocessing` are programs of the shell, begun as with the method `spawn`: each is a Python of its own that imports the main
# module again. What they run and with what comes through their input; what workers return goes through their output, between what they print.

import pickle as _pickle
import select as _select

_shared = '''
Queue JoinableQueue SimpleQueue Pipe Manager Value Array RawValue RawArray Lock RLock Condition Semaphore BoundedSemaphore Event Barrier
'''.split()
# Each has a memory of its own.
_most_workers = 4


def _process_refused(what):
    def refuse(*given, **named):
        raise NotImplementedError(
            f'multiprocessing.{what} is not supported by this Python: its processes share nothing but what they are given and what they return'
        )

    return refuse


def _begin_python(call, output):
    """Returns the process and where it reads from."""
    import subprocess
    from multiprocessing import util

    util._flush_std_streams()
    reader, writer = os.pipe()
    try:
        words = [sys.executable, *subprocess._args_from_interpreter_flags(), '-c', f'import _polyfs; _polyfs.{call}']
        process = _begin(words, sys.executable, os.getcwd(), None, [reader, output, 2])
    finally:
        os.close(reader)
    return process, open(writer, 'wb')


def _pickled(value):
    from multiprocessing.reduction import ForkingPickler

    return bytes(ForkingPickler.dumps(value))


def _preparation(starter, name, *values):
    """What a child needs before its first task."""
    from multiprocessing import context, spawn

    context.set_spawning_popen(starter)
    try:
        return b''.join(_pickled(value) for value in (spawn.get_preparation_data(name), *values))
    finally:
        context.set_spawning_popen(None)


def _prepared_input():
    """In a child: what it is given, after the main module has been imported."""
    from multiprocessing import process, spawn

    given = open(os.dup(0), 'rb')
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = open(os.devnull)
    process.current_process()._inheriting = True
    try:
        spawn.prepare(_pickle.load(given))
    finally:
        del process.current_process()._inheriting
    return given


def _run_process():
    with _prepared_input() as given:
        process = _pickle.load(given)
    sys.exit(process._bootstrap())


class ProcessStarted:
    method = 'spawn'
    sentinel = None

    def __init__(self, process):
        self.returncode = None
        data = _preparation(self, process._name, process)
        self.pid, given = _begin_python('_run_process()', 1)
        _give(given, data)
        _give(given, None)

    def duplicate_for_child(self, descriptor):
        raise NotImplementedError('processes of this Python get no open files')

    def poll(self, flag=os.WNOHANG if hasattr(os, 'WNOHANG') else 1):
        if self.returncode is None:
            child, status = _waitpid(self.pid, flag)
            if child == self.pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout=None):
        if timeout is None:
            return self.poll(0)
        end = time.monotonic() + timeout
        while self.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        return self.returncode

    def _signal(self, number):
        if self.poll() is None:
            _kill(self.pid, number)

    def terminate(self):
        self._signal(_signal.SIGTERM)

    def kill(self):
        self._signal(_signal.SIGKILL)

    def interrupt(self):
        self._signal(_signal.SIGINT)

    def close(self):
        pass


def _give(stream, data):
    """A child that has ended takes nothing any more: its status says why."""
    try:
        if data is None:
            stream.close()
        else:
            stream.write(data)
            stream.flush()
    except BrokenPipeError:
        pass


def _run_worker(mark):
    """In a child: runs task after task until its input ends."""
    mark = bytes.fromhex(mark)

    def answer(*value):
        for stream in sys.stdout, sys.stderr:
            stream.flush()
        data = _pickled(value)
        with open(1, 'wb', closefd=False) as output:
            output.write(mark + len(data).to_bytes(8, 'big') + data)

    try:
        given = _prepared_input()
        initializer, arguments = _pickle.load(given)
        if initializer is not None:
            initializer(*arguments)
    except BaseException:
        import traceback

        traceback.print_exc()
        answer('failed')
        return
    while True:
        try:
            head = given.read(8)
            if len(head) < 8:
                return
            data = given.read(int.from_bytes(head, 'big'))
            function, arguments, named = _pickle.loads(data)
            result = True, function(*arguments, **named)
        except Exception as error:
            from multiprocessing.pool import ExceptionWithTraceback

            result = False, ExceptionWithTraceback(error, error.__traceback__)
        try:
            answer('done', *result)
        except Exception as error:
            from multiprocessing.pool import ExceptionWithTraceback, MaybeEncodingError

            answer('done', False, ExceptionWithTraceback(MaybeEncodingError(error, result[1]), None))


class Worker:
    def __init__(self, name, initializer, arguments):
        data = _preparation(self, name, (initializer, arguments))
        self.mark = os.urandom(16)
        self.output, writer = os.pipe()
        self.process, self.given = _begin_python(f'_run_worker({self.mark.hex()!r})', writer)
        os.close(writer)
        self.task = None
        self.tasks = 0
        self.read = b''
        _give(self.given, data)

    def duplicate_for_child(self, descriptor):
        raise NotImplementedError('processes of this Python get no open files')

    def run(self, task):
        self.task = task
        self.tasks += 1
        _give(self.given, len(task.data).to_bytes(8, 'big') + task.data)

    def answers(self):
        """Reads what there is. Ends with `None` when the worker has ended."""
        piece = os.read(self.output, 1 << 16)
        self.read += piece
        while True:
            at = self.read.find(self.mark)
            if at < 0:
                # The start of a mark may be at the end.
                keep = 0 if not piece else len(self.mark) - 1
                printed, self.read = self.read[: max(0, len(self.read) - keep)], self.read[max(0, len(self.read) - keep) :]
                self._print(printed)
                break
            self._print(self.read[:at])
            head = at + len(self.mark) + 8
            end = head + int.from_bytes(self.read[at + len(self.mark) : head], 'big')
            if len(self.read) < head or len(self.read) < end:
                self.read = self.read[at:]
                break
            data, self.read = self.read[head:end], self.read[end:]
            yield _pickle.loads(data)
        if not piece:
            yield None

    def _print(self, data):
        while data:
            data = data[os.write(1, data) :]

    def end(self, at_once=False):
        if at_once and self.task is not None:
            try:
                _kill(self.process, _signal.SIGTERM)
            except OSError:
                pass
        _give(self.given, None)
        if not at_once:
            while not any(answer is None for answer in self.answers()):
                pass
        os.close(self.output)
        _waitpid(self.process, 0)


class Task:
    def __init__(self, done, function, arguments, named, cancel):
        self.done = done
        self.cancel = cancel
        self.data = _pickled((function, arguments, named))


class Workers:
    """Children that run tasks, while the parent waits for one."""

    def __init__(self, most, name, initializer, arguments, most_tasks, lost):
        from multiprocessing import process

        self.most = min(most, _most_workers)
        self.name, self.initializer, self.arguments, self.most_tasks, self.lost = name, initializer, arguments, most_tasks, lost
        # All have their names from the start, however many are begun.
        self.names = [f'{name}-{next(process._process_counter)}' for _ in range(most)]
        self.all = []
        self.tasks = []

    def submit(self, done, function, arguments, named, cancel=None):
        self.tasks.append(Task(done, function, arguments, named, cancel))
        self._feed()

    def _feed(self):
        while self.tasks:
            worker = next((one for one in self.all if one.task is None), None)
            if worker is None:
                if len(self.all) == self.most:
                    return
                self.all.append(worker := Worker(self._next_name(), self.initializer, self.arguments))
            worker.run(self.tasks.pop(0))

    def _next_name(self):
        from multiprocessing import process

        return self.names.pop(0) if self.names else f'{self.name}-{next(process._process_counter)}'

    def step(self, wait=True):
        """Takes what has come; false when nothing runs."""
        busy = [worker for worker in self.all if worker.task is not None]
        if not busy:
            return False
        ready = _select.poll()
        for worker in busy:
            ready.register(worker.output, _select.POLLIN)
        found = {descriptor for descriptor, _ in ready.poll(None if wait else 0)}
        for worker in busy:
            if worker.output in found:
                self._take(worker)
        return True

    def _take(self, worker):
        for answer in worker.answers():
            task = worker.task
            if answer is None or answer[0] == 'failed':
                self.all.remove(worker)
                worker.task = None
                worker.end(at_once=answer is None)
                failed, self.tasks = [task, *self.tasks], []
                for one in failed:
                    if one is not None:
                        one.done(False, self.lost())
                return
            worker.task = None
            if self.most_tasks is not None and worker.tasks >= self.most_tasks:
                self.all.remove(worker)
                worker.end()
            task.done(*answer[1:])
            self._feed()
            if worker not in self.all:
                return

    def until(self, condition):
        while not condition() and self.step():
            pass

    def end(self, at_once=False):
        if at_once:
            self.tasks = []
        else:
            self.until(lambda: False)
        for worker in self.all:
            worker.end(at_once)
        self.all = []


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
