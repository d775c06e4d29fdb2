# The commands of pip: what is installed, and wheels that lie in the tree or in an index that the host allows. It takes the place of pip where none is installed.

_pip_version = '25.3'
_pip_usage = '''
Usage:
  pip <command> [options]

Commands:
  install                     Install packages from wheels.
  uninstall                   Uninstall packages.
  freeze                      Output installed packages in requirements format.
  list                        List installed packages.
  show                        Show information about installed packages.
  check                       Verify installed packages have compatible dependencies.
  help                        Show help for commands.
'''
_pip_refused = 'download', 'wheel', 'search', 'index', 'config', 'cache', 'hash', 'inspect', 'debug', 'completion', 'lock'


class PipError(Exception):
    pass


def _pip_name(name):
    import re

    return re.sub(r'[-_.]+', '-', name).lower()


def _pip_installed():
    from importlib import metadata

    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata['Name']
        if name:
            found.setdefault(_pip_name(name), distribution)
    return found


def _pip_requirement(text):
    """Its name, the versions it allows, and whether it applies here."""
    import re

    match = re.match(r'\s*([A-Za-z0-9][\w.-]*)\s*(\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?$', text)
    if match is None:
        raise PipError(f'Invalid requirement: {text!r}')
    name, extras, versions, marker = match.groups()
    return _pip_name(name), versions.strip(), marker is None or _pip_marker(marker)


def _pip_marker(text):
    import re

    values = {
        'python_version': '%d.%d' % sys.version_info[:2],
        'python_full_version': '%d.%d.%d' % sys.version_info[:3],
        'os_name': os.name,
        'sys_platform': sys.platform,
        'platform_system': 'Linux',
        'platform_machine': 'x86_64',
        'platform_python_implementation': 'CPython',
        'implementation_name': 'cpython',
        'platform_release': '',
        'platform_version': '',
        'extra': '',
    }
    tokens = re.findall(r'\s*(\(|\)|<=|>=|==|!=|~=|===|<|>|not in\b|in\b|and\b|or\b|"[^"]*"|\'[^\']*\'|[\w.]+)', text)

    def alternative():
        value = conjunction()
        while tokens[:1] == ['or']:
            tokens.pop(0)
            value = conjunction() or value
        return value

    def conjunction():
        value = single()
        while tokens[:1] == ['and']:
            tokens.pop(0)
            value = single() and value
        return value

    def operand():
        token = tokens.pop(0)
        return (token[1:-1], False) if token[0] in '"\'' else (values.get(token, ''), token.endswith('version'))

    def single():
        if tokens[0] == '(':
            tokens.pop(0)
            value = alternative()
            tokens.pop(0)
            return value
        (left, one), operator, (right, other) = operand(), tokens.pop(0), operand()
        if operator == 'in':
            return left in right
        if operator == 'not in':
            return left not in right
        if one or other:
            return _pip_allows(f'{operator}{right}', left)
        return {'==': left == right, '!=': left != right}.get(operator, False)

    try:
        return alternative()
    except IndexError:
        raise PipError(f'Invalid marker: {text!r}') from None


def _pip_key(version):
    """The order of PEP 440, for the versions that are usual."""
    import re

    match = re.match(r'v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?(?:[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?dev(\d*))?', version.lower())
    if match is None:
        raise PipError(f'Invalid version: {version!r}')
    epoch, release, pre, pre_number, post, post_number, dev = match.groups()
    numbers = [int(part) for part in release.split('.')]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    stage = {'a': 0, 'alpha': 0, 'b': 1, 'beta': 1}.get(pre, 2) if pre else (-1 if dev is not None and not post else 3)
    return int(epoch or 0), numbers, stage, int(pre_number or 0), int(post_number or 0) + 1 if post else 0, int(dev) if dev else (0 if dev is not None else 1 << 30)


def _pip_allows(versions, version):
    import re

    for part in filter(None, (part.strip() for part in versions.split(','))):
        match = re.match(r'(===|==|!=|~=|<=|>=|<|>)\s*(\S+)$', part)
        if match is None:
            raise PipError(f'Invalid version specifier: {part!r}')
        operator, wanted = match.groups()
        key = _pip_key(version)
        if wanted.endswith('.*'):
            numbers = [int(number) for number in wanted[:-2].split('.')]
            given = key[1] + [0] * len(numbers)
            right = given[: len(numbers)] == numbers
            allowed = right if operator == '==' else not right
        elif operator == '~=':
            prefix = [int(number) for number in re.match(r'\d+(?:\.\d+)*', wanted)[0].split('.')][:-1]
            given = key[1] + [0] * len(prefix)
            allowed = key >= _pip_key(wanted) and given[: len(prefix)] == prefix
        else:
            other = _pip_key(wanted)
            allowed = {'==': key == other, '===': version == wanted, '!=': key != other, '<=': key <= other, '>=': key >= other,
                       '<': key < other, '>': key > other}[operator]
        if not allowed:
            return False
    return True


class _Wheel:
    def __init__(self, path):
        parts = os.path.basename(path)[:-4].split('-')
        if not path.endswith('.whl') or len(parts) not in (5, 6):
            raise PipError(f'{os.path.basename(path)!r} is not a wheel')
        self.path = path
        self.name, self.version = _pip_name(parts[0]), parts[1]
        self.title = parts[0]
        pythons, abis, platforms = (part.split('.') for part in parts[-3:])
        own = {'py3', 'py2.py3', 'py3%d' % sys.version_info[1]}
        self.fits = bool(own & set(pythons)) and 'none' in abis and 'any' in platforms

    def requirements(self):
        from email.parser import Parser
        from zipfile import ZipFile

        with ZipFile(self.path) as archive:
            name = next((each for each in archive.namelist() if each.endswith('.dist-info/METADATA')), None)
            if name is None:
                raise PipError(f'{os.path.basename(self.path)} has no METADATA')
            message = Parser().parsestr(archive.read(name).decode('utf-8'))
        found = [_pip_requirement(text) for text in message.get_all('Requires-Dist') or []]
        return [(name, versions) for name, versions, applies in found if applies]


class _RemoteWheel(_Wheel):
    """Of an index: fetched when it is chosen."""

    def __init__(self, url, filename, digest):
        super().__init__(filename)
        self.url, self.digest = url, digest

    def fetch(self, directory):
        import hashlib

        self.path = os.path.join(directory, os.path.basename(self.path))
        if _pip_fetch(self.url, '*/*', self.path) is None:
            raise PipError(f'HTTP error 404 while getting {self.url}')
        if self.digest is not None:
            with open(self.path, 'rb') as file:
                found = hashlib.sha256(file.read()).hexdigest()
            if found != self.digest:
                raise PipError(f'THESE PACKAGES DO NOT MATCH THE HASHES FROM THE INDEX: {self.url}: expected sha256 {self.digest}, got {found}')


class _Offline(PipError):
    pass


def _pip_fetch(url, accept, path=None):
    """Through curl, and so through the rule of the host. Its final address and content; None where there is nothing."""
    import subprocess

    to = ['-o', path] if path else []
    asked = ['curl', '-sSfL', '--compressed', '-H', f'Accept: {accept}', '-A', f'pip/{_pip_version}', '-w', '%{stderr}%{url_effective}', *to, '--', url]
    done = subprocess.run(asked, capture_output=True)
    said = done.stderr.decode()
    if done.returncode == 22 and 'error: 404' in said:
        return None
    if done.returncode != 0:
        lines = [line for line in said.splitlines() if line.startswith('curl: ')] or [said]
        if 'This shell has no network' in said:
            raise _Offline(lines[-1].removeprefix('curl: '))
        raise PipError(f'Could not get {url}: {lines[-1].removeprefix("curl: ")}')
    return said.splitlines()[-1], done.stdout


def _pip_index(index, name):
    """The wheels of an index, by its simple API."""
    import json
    from html.parser import HTMLParser
    from urllib.parse import unquote, urldefrag, urljoin

    accept = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1'
    got = _pip_fetch(f'{index.rstrip("/")}/{name}/', accept)
    if got is None:
        return []
    base, content = got
    files = []
    if content.lstrip()[:1] == b'{':
        for each in json.loads(content).get('files', []):
            files.append((each['url'], each['filename'], each.get('hashes', {}).get('sha256'), each.get('requires-python'), each.get('yanked')))
    else:

        class Links(HTMLParser):
            def handle_starttag(self, tag, attributes):
                given = dict(attributes)
                if tag == 'a' and given.get('href'):
                    address, fragment = urldefrag(given['href'])
                    digest = fragment.removeprefix('sha256=') if fragment.startswith('sha256=') else None
                    files.append((address, unquote(address.rsplit('/', 1)[-1]), digest, given.get('data-requires-python'), 'data-yanked' in given))

        Links().feed(content.decode('utf-8', 'replace'))
    found = []
    own = '%d.%d.%d' % sys.version_info[:3]
    for address, filename, digest, python, yanked in files:
        if not filename.endswith('.whl') or '/' in filename or yanked or len(filename[:-4].split('-')) not in (5, 6):
            continue
        try:
            wheel = _RemoteWheel(urljoin(base, address), filename, digest)
            if wheel.name == name and (not python or _pip_allows(python, own)):
                _pip_key(wheel.version)
                found.append(wheel)
        except PipError:
            continue
    return found


def _pip_is_own():
    """Whether this is a virtual environment."""
    return sys.prefix != sys.base_prefix


def _pip_site():
    place = sys.prefix if _pip_is_own() else os.path.expanduser('~/.local')
    return os.path.join(place, 'lib/python%d.%d/site-packages' % sys.version_info[:2])


def _pip_scripts():
    return os.path.join(sys.prefix if _pip_is_own() else os.path.expanduser('~/.local'), 'bin')


def _pip_unpack(wheel, target, scripts):
    import base64
    import csv
    import hashlib
    import io
    from zipfile import ZipFile

    with ZipFile(wheel.path) as archive:
        names = [name for name in archive.namelist() if not name.endswith('/')]
        information = next(name.split('/')[0] for name in names if name.endswith('.dist-info/METADATA'))
        hashes = {row[0]: row[1] for row in csv.reader(io.StringIO(archive.read(f'{information}/RECORD').decode())) if row}
        contents = {}
        for name in names:
            content = archive.read(name)
            kind, _, digest = hashes.get(name, '').partition('=')
            if digest and base64.urlsafe_b64encode(hashlib.new(kind, content).digest()).rstrip(b'=').decode() != digest:
                raise PipError(f'{name} of {os.path.basename(wheel.path)} differs from its hash')
            place = name
            top, _, rest = name.partition('/')
            if top.endswith('.data'):
                kind, _, place = rest.partition('/')
                if kind not in ('purelib', 'platlib', 'scripts'):
                    continue
                if kind == 'scripts':
                    contents[os.path.join(scripts, place)] = content.replace(b'#!python', f'#!{sys.executable}'.encode(), 1)
                    continue
            at = os.path.normpath(os.path.join(target, place))
            if not at.startswith(os.path.normpath(target) + os.sep):
                raise PipError(f'{name} of {os.path.basename(wheel.path)} leads out of its directory')
            contents[at] = content
    _pip_store(contents, information, target, scripts)


def _pip_store(contents, information, target, scripts):
    """Writes what is installed, with its programs and the list of its files."""
    import configparser

    entries = configparser.ConfigParser(delimiters=('=',), interpolation=None)
    entries.optionxform = str
    entries.read_string(contents.get(os.path.join(target, information, 'entry_points.txt'), b'').decode())
    for name, place in entries.items('console_scripts') if entries.has_section('console_scripts') else ():
        module, _, function = place.partition(':')
        function = function.split('[')[0].strip()
        contents[os.path.join(scripts, name)] = (
            f'#!{sys.executable}\nimport sys\nfrom {module.strip()} import {function.split(".")[0]}\n'
            f'if __name__ == "__main__":\n    sys.exit({function}())\n'
        ).encode()
    contents[os.path.join(target, information, 'INSTALLER')] = b'pip\n'
    own = [os.path.relpath(at, target) for at in contents]
    contents[os.path.join(target, information, 'RECORD')] = ''.join(f'{row},,\n' for row in [*own, f'{information}/RECORD']).encode()
    for at, content in contents.items():
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, 'wb') as file:
            file.write(content)
        if os.path.dirname(at) == scripts:
            os.chmod(at, 0o755)


def _pip_remove(distribution, quiet=False):
    for file in distribution.files or []:
        at = os.path.normpath(distribution.locate_file(file))
        if os.path.lexists(at):
            os.remove(at)
        directory = os.path.dirname(at)
        while os.path.isdir(directory) and not os.listdir(directory) and directory.split(os.sep)[-1] != 'site-packages':
            os.rmdir(directory)
            directory = os.path.dirname(directory)


def _pip_parse(arguments, flags, values):
    """The options that are given and what is left."""
    given, rest = {}, []
    arguments = list(arguments)
    while arguments:
        argument = arguments.pop(0)
        name, equals, value = argument.partition('=')
        if argument == '--':
            rest += arguments
            break
        if not argument.startswith('-') or argument == '-':
            rest.append(argument)
        elif name in values:
            if not equals:
                if not arguments:
                    raise PipError(f'{name} option requires 1 argument')
                value = arguments.pop(0)
            given.setdefault(values[name], []).append(value)
        elif argument in flags:
            given[flags[argument]] = True
        else:
            raise PipError(f'no such option: {argument}')
    return given, rest


# Of requirements files, by the name of the package.
_pip_digests = {}


def _pip_compare(wheel):
    import hashlib

    wanted = _pip_digests.get(wheel.name)
    if wanted is None:
        return
    with open(wheel.path, 'rb') as file:
        content = file.read()
    for each in wanted:
        kind, _, digest = each.partition(':')
        if kind in ('sha256', 'sha384', 'sha512') and hashlib.new(kind, content).hexdigest() == digest:
            return
    raise PipError(f'THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE: {os.path.basename(wheel.path)}')


def _pip_lines(path):
    """Each requirement of a file with the option before it."""
    import re

    with open(path) as file:
        for line in file.read().replace('\\\n', '').splitlines():
            line = line.split(' #')[0].strip()
            if line.startswith('-r') or line.startswith('--requirement'):
                yield from _pip_lines(os.path.join(os.path.dirname(path), line.split(None, 1)[1]))
            elif match := re.match(r'(-e|--editable)[ =]\s*(.+)', line):
                yield '-e', os.path.join(os.path.dirname(path), match[2])
            elif match := re.match(r'(-f|--find-links)[ =]\s*(.+)', line):
                yield '-f', os.path.join(os.path.dirname(path), match[2])
            elif line and not line.startswith('#') and not line.startswith('-'):
                text, *digests = line.split(' --hash=')
                if digests:
                    _pip_digests[_pip_requirement(text)[0]] = {each.strip() for each in digests}
                yield '', text.strip()


_pip_install_flags = dict.fromkeys('--user --break-system-packages --no-cache-dir --disable-pip-version-check --no-input --no-warn-script-location --prefer-binary --no-color --no-build-isolation --no-compile --no-clean --no-warn-conflicts -v -vv'.split(), 'ignored') | {
    '--no-index': 'no_index', '--no-deps': 'no_deps', '-q': 'quiet', '-qq': 'quiet', '--quiet': 'quiet', '-U': 'upgrade', '--upgrade': 'upgrade', '--force-reinstall': 'force',
}
_pip_install_values = dict.fromkeys('--trusted-host --timeout --retries --progress-bar --root-user-action --upgrade-strategy --only-binary --no-binary --config-settings'.split(), 'ignored') | {
    '-r': 'files', '--requirement': 'files', '-f': 'links', '--find-links': 'links', '-t': 'target', '--target': 'target', '-e': 'editable', '--editable': 'editable',
    '-i': 'index', '--index-url': 'index', '--extra-index-url': 'indexes',
}


def _pip_project(text):
    """A directory with extras, such as `.[dev]`, as a project."""
    import re

    place, extras = re.fullmatch(r'(.*?)(?:\[([^\]]*)\])?', text.removeprefix('file://')).groups()
    return _Project(place or '.', [extra.strip() for extra in (extras or '').split(',') if extra.strip()])


def _pip_install(arguments):
    given, rest = _pip_parse(arguments, _pip_install_flags, _pip_install_values)
    links = given.get('links') or os.environ.get('PIP_FIND_LINKS', '').split()
    wanted = [('', text) for text in rest] + [('-e', text) for text in given.get('editable', [])]
    for path in given.get('files', []):
        for option, text in _pip_lines(path):
            links.append(text) if option == '-f' else wanted.append((option, text))
    if not wanted:
        raise PipError('You must give at least one requirement to install (see "pip help install")')

    def say(text):
        if not given.get('quiet'):
            print(text)

    target = os.path.abspath(given['target'][-1]) if 'target' in given else _pip_site()
    scripts = os.path.join(target, 'bin') if 'target' in given else _pip_scripts()
    if 'target' not in given and not _pip_is_own():
        say('Defaulting to user installation because normal site-packages is not writeable')
    places = [place.removeprefix('file://') for place in links]
    for place in places:
        say(f'Looking in links: {place}')
    available = [_Wheel(os.path.join(place, name)) for place in places for name in sorted(os.listdir(place)) if name.endswith('.whl')]
    installed = {} if 'target' in given else _pip_installed()
    chosen = {}
    indexes = []
    if not given.get('no_index') and os.environ.get('PIP_NO_INDEX', '') in ('', '0', 'false'):
        first = given['index'][-1] if 'index' in given else os.environ.get('PIP_INDEX_URL') or 'https://pypi.org/simple'
        indexes = [first, *os.environ.get('PIP_EXTRA_INDEX_URL', '').split(), *given.get('indexes', [])]
        if indexes != ['https://pypi.org/simple']:
            say(f'Looking in indexes: {", ".join(indexes)}')
    looked, downloads, offline = set(), [], []

    def look(name):
        if name in looked:
            return
        looked.add(name)
        for index in indexes:
            try:
                available.extend(_pip_index(index, name))
            except _Offline as error:
                offline.append(str(error))
                return

    def choose(text, name, versions, origin=None):
        if name in chosen:
            if not _pip_allows(versions, chosen[name].version):
                raise PipError(f'Cannot install {name} {chosen[name].version} and {text}: they exclude each other')
            return
        present = installed.get(name)
        if present is None and name == 'pip':
            say(f'Requirement already satisfied: {text} in {os.path.dirname(json.__path__[0])} ({_pip_version})')
            return
        if present and not given.get('force') and not given.get('upgrade') and _pip_allows(versions, present.version):
            say(f'Requirement already satisfied: {text} in {present.locate_file("")} ({present.version})')
            return
        look(name)
        fitting = [wheel for wheel in available if wheel.name == name and wheel.fits and _pip_allows(versions, wheel.version)]
        if not fitting:
            reason = '; this pip has no network: give wheels, or --find-links DIRECTORY' if not places and (offline or not indexes) else ''
            for line in offline[:1]:
                print(f'WARNING: {line}', file=sys.stderr)
            print(f'ERROR: Could not find a version that satisfies the requirement {text} (from versions: {", ".join(sorted(wheel.version for wheel in available if wheel.name == name)) or "none"})', file=sys.stderr)
            raise PipError(f'No matching distribution found for {text}{reason}')
        # Versions before a release only where there is no other.
        fitting = [wheel for wheel in fitting if _pip_key(wheel.version)[2] == 3] or fitting
        wheel = max(fitting, key=lambda each: _pip_key(each.version))
        if isinstance(wheel, _RemoteWheel):
            import tempfile

            if not downloads:
                downloads.append(tempfile.mkdtemp())
            say(f'Collecting {text}\n  Downloading {wheel.url}')
            wheel.fetch(downloads[0])
        else:
            say(f'Processing {wheel.path}')
        take(wheel)

    def take(wheel):
        if not isinstance(wheel, _Project):
            _pip_compare(wheel)
        chosen[wheel.name] = wheel
        for name, versions in [] if given.get('no_deps') else wheel.requirements():
            choose(f'{name}{versions}', name, versions)

    editable = set()
    for option, text in wanted:
        if option == '-e' or text in ('.', '..') or '/' in text and not text.endswith('.whl') and '@' not in text or text.startswith('.['):
            project = _pip_project(text)
            say(f'Obtaining file://{project.path}' if option == '-e' else f'Processing {project.path}')
            if option == '-e':
                editable.add(project.name)
            take(project)
        elif text.endswith('.whl'):
            path = os.path.abspath(text.removeprefix('file://'))
            if not os.path.exists(path):
                print(f'WARNING: Requirement {text!r} looks like a filename, but the file does not exist', file=sys.stderr)
                raise PipError(f"Could not install packages due to an OSError: [Errno 2] No such file or directory: '{path}'\n")
            wheel = _Wheel(path)
            if not wheel.fits:
                raise PipError(f'{os.path.basename(path)} is not a supported wheel on this platform.')
            say(f'Processing {text if text.startswith("/") else "./" + os.path.relpath(path)}')
            present = installed.get(wheel.name)
            if present and present.version == wheel.version and not given.get('force'):
                say(f'{wheel.name} is already installed with the same version as the provided wheel. Use --force-reinstall to force an installation of the wheel.')
                continue
            take(wheel)
        elif '@' in text or '/' in text:
            raise PipError(f'{text}: only wheels and directories of the workspace can be installed here, this pip has no network')
        else:
            name, versions, applies = _pip_requirement(text)
            if applies:
                choose(text, name, versions)
    if not chosen:
        return 0
    order = list(reversed(chosen.values()))
    say(f'Installing collected packages: {", ".join(wheel.title for wheel in order)}')
    for wheel in order:
        if wheel.name in installed:
            present = installed[wheel.name]
            title, version = present.metadata['Name'], present.version
            say(f'  Attempting uninstall: {wheel.title}\n    Found existing installation: {title} {version}')
            _pip_remove(present)
            say(f'      Successfully uninstalled {title}-{version}')
        if isinstance(wheel, _Project):
            _pip_store(*wheel.contents(target, wheel.name in editable), target, scripts)
        else:
            _pip_unpack(wheel, target, scripts)
    for directory in downloads:
        import shutil

        shutil.rmtree(directory, ignore_errors=True)
    say('Successfully installed ' + ' '.join(sorted(f'{wheel.title}-{wheel.version}' for wheel in order)))
    return 0


def _pip_uninstall(arguments):
    given, names = _pip_parse(arguments, {'-y': 'yes', '--yes': 'yes', '-q': 'quiet'}, {'-r': 'files'})
    for path in given.get('files', []):
        names += [_pip_requirement(line)[0] for option, line in _pip_lines(path) if option == '']
    installed = _pip_installed()
    for name in names:
        found = installed.get(_pip_name(name))
        if found is None:
            print(f'WARNING: Skipping {name} as it is not installed.', file=sys.stderr)
            continue
        title = f'{found.metadata["Name"]}-{found.version}'
        print(f'Found existing installation: {found.metadata["Name"]} {found.version}')
        print(f'Uninstalling {title}:')
        if not given.get('yes'):
            print(f'  Would remove:\n    {found.locate_file("")}')
            if input('Proceed (Y/n)? ').strip().lower() not in ('', 'y', 'yes'):
                continue
        _pip_remove(found)
        print(f'  Successfully uninstalled {title}')
    return 0


def _pip_sorted():
    return [installed for _, installed in sorted(_pip_installed().items())]


def _pip_list(arguments):
    values = {'--format': 'format'}
    flags = dict.fromkeys(['--user', '--disable-pip-version-check', '--not-required', '-l', '--local'], 'ignored')
    given, rest = _pip_parse(arguments, flags, values)
    kind = given.get('format', ['columns'])[-1]
    rows = [(each.metadata['Name'], each.version) for each in _pip_sorted()]
    if kind == 'json':
        print(json.dumps([{'name': name, 'version': version} for name, version in rows]))
    elif kind == 'freeze':
        for name, version in rows:
            print(f'{name}=={version}')
    elif rows:
        table = [('Package', 'Version'), *rows]
        places = [_pip_editable(each) for each in _pip_sorted()]
        if any(places):
            table = [(*row, place or '') for row, place in zip(table, ['Editable project location', *places])]
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        table.insert(1, tuple('-' * wide for wide in widths))
        for row in table:
            print(' '.join(f'{cell:{wide}}' for cell, wide in zip(row, widths)).rstrip())
    return 0


def _pip_freeze(arguments):
    _pip_parse(arguments, {'--all': 'ignored', '--user': 'ignored', '-l': 'ignored'}, {})
    for each in _pip_sorted():
        place = _pip_editable(each)
        if place is None:
            print(f'{each.metadata["Name"]}=={each.version}')
        else:
            print(f'# Editable install with no version control ({each.metadata["Name"]}=={each.version})\n-e {place}')
    return 0


def _pip_editable(distribution):
    """The directory that an editable installation stands for."""
    text = distribution.read_text('direct_url.json')
    about = json.loads(text) if text else {}
    return about['url'].removeprefix('file://') if about.get('dir_info', {}).get('editable') else None


def _pip_show(arguments):
    given, names = _pip_parse(arguments, {'-f': 'files', '--files': 'files'}, {})
    installed = _pip_installed()
    missing = [name for name in names if _pip_name(name) not in installed]
    if missing:
        print(f'WARNING: Package(s) not found: {", ".join(missing)}', file=sys.stderr)
    shown = [installed[_pip_name(name)] for name in names if _pip_name(name) in installed]
    needs = {name: {_pip_requirement(text)[0] for text in each.requires or [] if _pip_requirement(text)[2]} for name, each in installed.items()}
    for index, each in enumerate(shown):
        if index:
            print('---')
        about = each.metadata
        name = _pip_name(about['Name'])
        print(f'Name: {about["Name"]}\nVersion: {each.version}\nSummary: {about["Summary"] or ""}\nHome-page: {about["Home-page"] or ""}')
        print(f'Author: {about["Author"] or ""}\nAuthor-email: {about["Author-email"] or ""}\nLicense: {about["License"] or ""}')
        print(f'Location: {str(each.locate_file("")).rstrip("/")}')
        print(f'Requires: {", ".join(sorted(needs[name]))}')
        print(f'Required-by: {", ".join(sorted(installed[other].metadata["Name"] for other in needs if name in needs[other]))}')
        if given.get('files'):
            print('Files:')
            for file in sorted(map(str, each.files or [])):
                print(f'  {file}')
    return 0 if shown else 1


def _pip_check(arguments):
    installed, failed = _pip_installed(), False
    for each in _pip_sorted():
        for text in each.requires or []:
            name, versions, applies = _pip_requirement(text)
            if not applies:
                continue
            found = installed.get(name)
            title = f'{each.metadata["Name"]} {each.version}'
            if found is None:
                print(f'{title} requires {name}, which is not installed.')
            elif not _pip_allows(versions, found.version):
                print(f'{title} has requirement {text}, but you have {found.metadata["Name"]} {found.version}.')
            else:
                continue
            failed = True
    if not failed:
        print('No broken requirements found.')
    return int(failed)


_pip_commands = {
    'install': _pip_install, 'uninstall': _pip_uninstall, 'list': _pip_list, 'freeze': _pip_freeze, 'show': _pip_show, 'check': _pip_check,
}


def pip_main(arguments):
    while arguments and arguments[0] in ('--disable-pip-version-check', '-q', '--no-color', '--no-input'):
        arguments = arguments[1:]
    command, rest = (arguments[0] if arguments else 'help'), arguments[1:]
    if command in ('help', '-h', '--help'):
        print(_pip_usage)
        return 0
    if command in ('-V', '--version'):
        print(f'pip {_pip_version} from {sys.path[-1]}/pip (python {sys.version_info.major}.{sys.version_info.minor})')
        return 0
    try:
        if command in _pip_refused:
            raise PipError(f'{command} is not supported by this pip')
        if command not in _pip_commands:
            raise PipError(f'unknown command "{command}"')
        return _pip_commands[command](rest)
    except (PipError, OSError) as error:
        print(f'ERROR: {error}', file=sys.stderr)
        return 1


_modules_of_own = {
    'pip': f'__version__ = {_pip_version!r}\n',
    'pip.__main__': 'import sys\nfrom _polyfs import pip_main\nsys.exit(pip_main(sys.argv[1:]))\n',
}


@preparation
def _offer_modules():
    import importlib.abc
    import importlib.machinery

    class Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
        """The last that is asked, so that a real pip is found first."""

        def find_spec(self, name, path, target=None):
            if name not in _modules_of_own:
                return None
            return importlib.machinery.ModuleSpec(name, self, is_package=self.is_package(name))

        def is_package(self, name):
            return f'{name}.__main__' in _modules_of_own

        def get_source(self, name):
            return _modules_of_own[name]

    sys.meta_path.append(Finder())
