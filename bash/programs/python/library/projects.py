# Projects of pure Python that lie in the tree. They are installed as their pyproject.toml or setup.cfg describes them; what would build them is not run.

import re as _re

# Their packages are compiled, or made by a program of the project.
_backends_that_compile = 'maturin', 'mesonpy', 'scikit_build_core', 'cmake', 'py_build_cmake', 'setuptools_rust'
# What setuptools leaves out of a project without `src`.
_no_packages = frozenset('ci bin debian doc docs documentation manpages news changelog test tests unit_test unit_tests example examples scripts tools util utils python build benchmark benchmarks exercise exercises htmlcov tasks fabfile site_scons dist venv env'.split())


def _static_value(path, name):
    """The text that a module assigns to a name; it is not run."""
    import ast

    try:
        with open(path, encoding='utf-8') as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError):
        return None
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets) and isinstance(node.value, ast.Constant):
            return str(node.value.value)
    return None


def _poetry_versions(text):
    """`^1.2` and `~1.2` of poetry as ranges."""
    match = _re.fullmatch(r'([\^~])(\d+(?:\.\d+)*)', text.strip())
    if match is None:
        return '' if text.strip() == '*' else text if not text[:1].isdigit() else f'=={text}'
    numbers = [int(part) for part in match[2].split('.')]
    at = 0
    if match[1] == '^':
        at = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    elif len(numbers) > 1:
        at = 1
    above = [*numbers[:at], numbers[at] + 1]
    return f'>={match[2]},<{".".join(map(str, above))}'


class _Project:
    fits = True

    def __init__(self, path, extras=()):
        self.path = os.path.abspath(path)
        self._extras = extras
        described = os.path.join(self.path, 'pyproject.toml')
        self._settings = {}
        if os.path.exists(described):
            import tomllib

            with open(described, 'rb') as file:
                try:
                    self._settings = tomllib.load(file)
                except tomllib.TOMLDecodeError as error:
                    raise PipError(f'{described}: {error}') from None
        self._tools = self._settings.get('tool', {})
        self._backend = self._settings.get('build-system', {}).get('build-backend', 'setuptools.build_meta')
        if self._backend.split('.')[0] in _backends_that_compile:
            raise PipError(f'{path}: {self._backend} compiles, and nothing can be built here')
        self._scripts, self._optional, self._requires = {}, {}, []
        if 'project' in self._settings:
            self._take_project(self._settings['project'])
        elif 'poetry' in self._tools:
            self._take_poetry(self._tools['poetry'])
        elif not self._take_setup_cfg():
            there = any(os.path.exists(os.path.join(self.path, name)) for name in ('setup.py', 'setup.cfg', 'pyproject.toml'))
            if not there:
                raise PipError(f"Directory {path!r} is not installable. Neither 'setup.py' nor 'pyproject.toml' found.")
            raise PipError(f'{path}: only what pyproject.toml or setup.cfg says can be installed here, and nothing is built; with PYTHONPATH={self.path} Python finds it')
        self.name = _pip_name(self.title)

    def _take_project(self, project):
        self.title = project.get('name') or self._refuse('name')
        self._requires = project.get('dependencies', [])
        self._optional = project.get('optional-dependencies', {})
        self._scripts = project.get('scripts', {})
        self._summary = project.get('description', '')
        self._find_root()
        self.version = project.get('version') or self._dynamic_version()

    def _take_poetry(self, project):
        self.title = project.get('name') or self._refuse('name')
        self.version = project.get('version') or self._refuse('version')
        self._summary = project.get('description', '')
        self._scripts = {name: place for name, place in project.get('scripts', {}).items() if isinstance(place, str)}
        for name, wanted in project.get('dependencies', {}).items():
            if name != 'python' and (isinstance(wanted, str) or not wanted.get('optional')):
                self._requires.append(name + _poetry_versions(wanted if isinstance(wanted, str) else wanted.get('version', '*')))
        self._find_root()

    def _take_setup_cfg(self):
        import configparser

        parser = configparser.ConfigParser(interpolation=None)
        parser.read(os.path.join(self.path, 'setup.cfg'), encoding='utf-8')
        if not parser.has_option('metadata', 'name'):
            return False
        options = dict(parser['options']) if parser.has_section('options') else {}
        lines = lambda text: [line.strip() for line in text.splitlines() if line.strip()]
        directories = dict(line.split('=', 1) for line in lines(options.get('package_dir', '')) if '=' in line)
        where = parser.get('options.packages.find', 'where', fallback=None) or {key.strip(): value.strip() for key, value in directories.items()}.get('')
        self.title = parser['metadata']['name']
        self._summary = parser.get('metadata', 'description', fallback='')
        self._requires = lines(options.get('install_requires', ''))
        if parser.has_section('options.extras_require'):
            self._optional = {name: lines(text) for name, text in parser['options.extras_require'].items()}
        entries = lines(parser.get('options.entry_points', 'console_scripts', fallback=''))
        self._scripts = {name.strip(): place.strip() for name, place in (line.split('=', 1) for line in entries if '=' in line)}
        self._find_root(where)
        version = parser.get('metadata', 'version', fallback='')
        kind, colon, rest = version.partition(':')
        self.version = self._dynamic({kind: rest.strip()}) if colon and kind in ('attr', 'file') else version or self._refuse('version')
        return True

    def _find_root(self, where=None):
        """Where its packages lie: `src` or the project itself."""
        setuptools = self._tools.get('setuptools', {})
        packages = setuptools.get('packages')
        found = packages.get('find', {}).get('where', []) if isinstance(packages, dict) else []
        directory = where or (found[0] if found else None) or setuptools.get('package-dir', {}).get('')
        targets = self._tools.get('hatch', {}).get('build', {}).get('targets', {}).get('wheel', {})
        self._named = [os.path.normpath(each) for each in targets.get('packages', [])]
        if self._named:
            directory = os.path.dirname(self._named[0]) or '.'
        for each in self._tools.get('poetry', {}).get('packages', []):
            directory = directory or each.get('from')
        if directory is None:
            source = os.path.join(self.path, 'src')
            directory = 'src' if os.path.isdir(source) and self._top_names(source) else '.'
        self.root = os.path.normpath(os.path.join(self.path, directory))

    def _top_names(self, root):
        """Packages and modules that its root has."""
        own = _re.sub(r'[-.]', '_', self.title).lower()
        names = []
        for name in sorted(os.listdir(root)):
            path = os.path.join(root, name)
            module = name.removesuffix('.py')
            if os.path.isdir(path):
                is_package = name.isidentifier() and any(each.endswith('.py') for each in os.listdir(path))
            else:
                is_package = name.endswith('.py') and module.isidentifier() and (root != self.path or module.lower() == own)
            if is_package and (root != self.path or module not in _no_packages):
                names.append(name)
        return [name for name in names if name.removesuffix('.py').lower() == own] or names if root == self.path else names

    def _dynamic_version(self):
        if 'version' not in self._settings['project'].get('dynamic', []):
            self._refuse('version')
        dynamic = self._tools.get('setuptools', {}).get('dynamic', {}).get('version', {})
        hatch = self._tools.get('hatch', {}).get('version', {})
        pdm = self._tools.get('pdm', {}).get('version', {})
        path = hatch.get('path') or pdm.get('path')
        if dynamic:
            return self._dynamic(dynamic)
        if path:
            place = os.path.join(self.path, path)
            return _static_value(place, '__version__') or _static_value(place, 'VERSION') or self._refuse('version')
        given = os.environ.get('SETUPTOOLS_SCM_PRETEND_VERSION')
        if given:
            return given
        if self._backend.startswith('flit'):
            for name in self._top_names(self.root):
                place = os.path.join(self.root, name)
                found = _static_value(place if name.endswith('.py') else os.path.join(place, '__init__.py'), '__version__')
                if found:
                    return found
        return self._refuse('version')

    def _dynamic(self, given):
        if 'file' in given:
            names = [given['file']] if isinstance(given['file'], str) else given['file']
            with open(os.path.join(self.path, names[0]), encoding='utf-8') as file:
                return file.read().strip()
        module, _, name = given.get('attr', '').rpartition('.')
        for root in self.root, self.path:
            place = os.path.join(root, *module.split('.'))
            for path in f'{place}.py', os.path.join(place, '__init__.py'):
                found = _static_value(path, name)
                if found:
                    return found
        return self._refuse('version')

    def _refuse(self, what):
        raise PipError(f'{self.path}: its {what} is known only to {self._backend}, which is not run here; with PYTHONPATH={getattr(self, "root", self.path)} Python finds it')

    def requirements(self):
        found = [_pip_requirement(text) for text in [*self._requires, *(text for extra in self._extras for text in self._optional.get(extra, []))]]
        return [(name, versions) for name, versions, applies in found if applies]

    def contents(self, target, is_editable):
        """What is written below the target, and the name of the directory that describes it."""
        title = _re.sub(r'[-_.]+', '_', self.title).lower()
        information = f'{title}-{self.version}.dist-info'
        about = f'Metadata-Version: 2.1\nName: {self.title}\nVersion: {self.version}\nSummary: {self._summary}\n'
        about += ''.join(f'Requires-Dist: {text}\n' for text in self._requires)
        files = {f'{information}/METADATA': about.encode()}
        files[f'{information}/direct_url.json'] = json.dumps({'dir_info': {'editable': True} if is_editable else {}, 'url': f'file://{self.path}'}).encode()
        if self._scripts:
            lines = ''.join(f'{name} = {place}\n' for name, place in self._scripts.items())
            files[f'{information}/entry_points.txt'] = f'[console_scripts]\n{lines}'.encode()
        if is_editable:
            files[f'__editable__.{title}-{self.version}.pth'] = f'{self.root}\n'.encode()
        else:
            for name in [os.path.basename(each) for each in self._named] or self._top_names(self.root):
                files |= dict(self._copied(os.path.join(self.root, name), name))
        return {os.path.join(target, name): content for name, content in files.items()}, information

    def _copied(self, path, name):
        if not os.path.isdir(path):
            with open(path, 'rb') as file:
                yield name, file.read()
            return
        for each in sorted(os.listdir(path)):
            if each != '__pycache__':
                yield from self._copied(os.path.join(path, each), f'{name}/{each}')
