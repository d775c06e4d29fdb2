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
