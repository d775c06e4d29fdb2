# Random operations on files, and what they gave: the same text from every Python that is right.
import os, sys, shutil


class Random:
    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 8) % limit

    def pick(self, items):
        return items[self.below(len(items))]


NAMES = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/f', 'l', 'd/l', './a', 'd/../b', 'd/', 'a/', 'none/x', 'ü', '.', 'd/.', 'l/a', '']
MODES = ['r', 'w', 'a', 'x', 'r+', 'w+', 'a+', 'rb', 'wb', 'ab', 'r+b', 'xb']
open_files = []
used = []


def text_of(error):
    return str(error).split('] ')[-1].split(': ')[0]


def name(random):
    used.append(random.pick(NAMES))
    return used[-1]


def text(random):
    return random.pick(['', 'x', 'line\n', 'ä' * 3, 'y' * 300, 'two\nlines\n', 'z' * 70000])


def do_open(random):
    mode = random.pick(MODES)
    file = open(name(random), mode, **({} if 'b' in mode else {'encoding': 'utf-8', 'newline': ''}))
    open_files.append((file, 'b' in mode))
    return file.tell() if 'a' not in mode else None


def some_file(random):
    if not open_files:
        raise LookupError('none is open')
    return open_files[random.below(len(open_files))]


def do_write(random):
    file, is_bytes = some_file(random)
    given = text(random)
    written = file.write(given.encode() if is_bytes else given)
    # How much is held back differs from version to version.
    file.flush()
    return written


def do_read(random):
    file, _ = some_file(random)
    content = file.read(random.pick([-1, 0, 1, 5, 100000]))
    return len(content), content[:20]


def do_line(random):
    return some_file(random)[0].readline()[:30]


def do_seek(random):
    file, is_bytes = some_file(random)
    return file.seek(random.pick([0, 1, 3, 10, 500]) if is_bytes or random.below(2) else 0, 0)


def do_end(random):
    return some_file(random)[0].seek(0, 2)


def do_flush(random):
    some_file(random)[0].flush()


def do_truncate(random):
    file, _ = some_file(random)
    file.flush()
    return file.truncate(random.pick([0, 2, 400]))


def do_close(random):
    file, is_bytes = some_file(random)
    open_files.remove((file, is_bytes))
    file.close()


def do_size(random):
    file, _ = some_file(random)
    return os.fstat(file.fileno()).st_size


def do_stat(random):
    found = os.stat(name(random)) if random.below(2) else os.lstat(name(random))
    kind = found.st_mode & 0o170000
    return oct(kind), found.st_size if kind == 0o100000 else None


def do_descriptor(random):
    flags = random.pick([os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_EXCL,
                         os.O_RDWR | os.O_CREAT | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_RDONLY | os.O_DIRECTORY,
                         os.O_RDONLY | os.O_NOFOLLOW])
    descriptor = os.open(name(random), flags, 0o644)
    try:
        results = []
        for call in (lambda: os.write(descriptor, b'12345'), lambda: os.lseek(descriptor, 2, 0), lambda: os.read(descriptor, 3),
                     lambda: os.pwrite(descriptor, b'PP', 1), lambda: os.pread(descriptor, 9, 0), lambda: os.ftruncate(descriptor, 4)):
            try:
                results.append(call())
            except OSError as error:
                results.append(text_of(error))
        return results
    finally:
        os.close(descriptor)


def do_copy(random):
    shutil.copyfile(name(random), name(random))


def do_tree(random):
    return [(top, sorted(directories), sorted(files)) for top, directories, files in sorted(os.walk('.'))]


def do_exists(random):
    at = name(random)
    return os.path.exists(at), os.path.isdir(at), os.path.isfile(at), os.path.islink(at)


def do_same(random):
    return os.path.samefile(name(random), name(random))


OPERATIONS = [
    do_open, do_open, do_open, do_write, do_write, do_write, do_read, do_read, do_line, do_seek, do_end, do_flush, do_truncate,
    do_close, do_close, do_size, do_stat, do_stat, do_descriptor, do_descriptor, do_copy, do_tree, do_exists, do_same,
    lambda random: os.mkdir(name(random)),
    lambda random: os.mkdir(name(random)),
    lambda random: os.makedirs(name(random), exist_ok=bool(random.below(2))),
    lambda random: os.rmdir(name(random)),
    lambda random: os.remove(name(random)),
    lambda random: os.rename(name(random), name(random) or 'a'),
    lambda random: os.replace(name(random), name(random) or 'a'),
    lambda random: os.symlink(random.pick(['a', 'd', 'none', '../b', 'l', '.']), name(random)),
    lambda random: os.readlink(name(random)),
    lambda random: sorted(os.listdir(name(random))),
    lambda random: sorted((entry.name, entry.is_dir(), entry.is_file(), entry.is_symlink()) for entry in os.scandir(name(random))),
    lambda random: os.truncate(name(random), random.pick([0, 3, 9])),
    lambda random: os.access(name(random), os.R_OK),
    lambda random: os.path.relpath(os.path.realpath(name(random))),
    lambda random: shutil.rmtree(name(random)) if random.below(8) == 0 else None,
    lambda random: os.utime(name(random), (5, 7)) or os.stat(name(random)).st_mtime == 7,
]


def label(operation):
    return operation.__name__ if operation.__name__ != '<lambda>' else ' '.join(operation.__code__.co_names)


def run(seed, count):
    random = Random(seed)
    for _ in range(count):
        operation = OPERATIONS[random.below(len(OPERATIONS))]
        used.clear()
        try:
            result = repr(operation(random))
        except OSError as error:
            result = f'{type(error).__name__} {text_of(error)}'
        except (LookupError, ValueError, UnicodeError) as error:
            result = type(error).__name__
        print(label(operation), used, result)
    for file, _ in open_files:
        try:
            file.close()
        except OSError as error:
            print('close', text_of(error))
    open_files.clear()
    for top, directories, files in sorted(os.walk('.')):
        directories.sort()
        for each in sorted(files):
            at = os.path.join(top, each)
            print(at, os.readlink(at) if os.path.islink(at) else open(at, 'rb').read()[:400])


top = os.getcwd()
for seed in map(int, sys.argv[2:]):
    print('seed', seed)
    place = os.path.join(top, str(seed))
    os.mkdir(place)
    os.chdir(place)
    run(seed, int(sys.argv[1]))
