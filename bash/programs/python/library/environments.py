# Virtual environments: a directory with packages of its own, and programs that start this Python so that it finds them. The module `venv` of the
# original is none of the library. `ensurepip` has nothing to do, because pip is always there.

_venv_python = '#!/bin/sh\n__PYVENV_LAUNCHER__="$0" exec /usr/bin/python3 "$@"\n'
_venv_pip = "import runpy\n\nrunpy.run_module('pip', run_name='__main__', alter_sys=True)\n"
_venv_activate = '''# Use it with `source bin/activate`; `deactivate` takes it back.

deactivate () {
    if [ -n "${_OLD_VIRTUAL_PATH:-}" ] ; then
        PATH="$_OLD_VIRTUAL_PATH"
        export PATH
        unset _OLD_VIRTUAL_PATH
    fi
    if [ -n "${_OLD_VIRTUAL_PYTHONHOME:-}" ] ; then
        PYTHONHOME="$_OLD_VIRTUAL_PYTHONHOME"
        export PYTHONHOME
        unset _OLD_VIRTUAL_PYTHONHOME
    fi
    if [ -n "${_OLD_VIRTUAL_PS1:-}" ] ; then
        PS1="$_OLD_VIRTUAL_PS1"
        export PS1
        unset _OLD_VIRTUAL_PS1
    fi
    hash -r 2> /dev/null
    unset VIRTUAL_ENV VIRTUAL_ENV_PROMPT
    if [ ! "${1:-}" = "nondestructive" ] ; then
        unset -f deactivate
    fi
}

deactivate nondestructive

VIRTUAL_ENV=@directory@
export VIRTUAL_ENV
_OLD_VIRTUAL_PATH="$PATH"
PATH="$VIRTUAL_ENV/bin:$PATH"
export PATH
VIRTUAL_ENV_PROMPT=@prompt@
export VIRTUAL_ENV_PROMPT
if [ -n "${PYTHONHOME:-}" ] ; then
    _OLD_VIRTUAL_PYTHONHOME="$PYTHONHOME"
    unset PYTHONHOME
fi
if [ -z "${VIRTUAL_ENV_DISABLE_PROMPT:-}" ] ; then
    _OLD_VIRTUAL_PS1="${PS1:-}"
    PS1="($VIRTUAL_ENV_PROMPT) ${PS1:-}"
    export PS1
fi
hash -r 2> /dev/null
'''


def create_environment(directory, system_site_packages=False, clear=False, with_pip=False, prompt=None, scm_ignore_files=frozenset()):
    import shlex
    import shutil

    directory = os.path.abspath(directory)
    if clear and os.path.isdir(directory):
        for name in os.listdir(directory):
            path = os.path.join(directory, name)
            (shutil.rmtree if os.path.isdir(path) and not os.path.islink(path) else os.remove)(path)
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    for name in 'bin', f'include/{version}', f'lib/{version}/site-packages':
        os.makedirs(os.path.join(directory, name), exist_ok=True)
    shown = os.path.basename(os.getcwd()) if prompt == '.' else prompt
    lines = [
        'home = /usr/bin',
        f'include-system-site-packages = {str(system_site_packages).lower()}',
        f'version = {sys.version.split()[0]}',
        *([f'prompt = {shown!r}'] if shown is not None else []),
        'executable = /usr/bin/python3',
        f'command = /usr/bin/python3 -m venv {directory}',
    ]
    files = {'pyvenv.cfg': '\n'.join(lines) + '\n'}
    programs = {name: _venv_python for name in ('python', 'python3', version)}
    if with_pip:
        programs |= {name: f'#!{directory}/bin/python3\n{_venv_pip}' for name in ('pip', 'pip3', f'pip{version[6:]}')}
    own_name = os.path.basename(directory) if shown is None else shown
    files['bin/activate'] = _venv_activate.replace('@directory@', shlex.quote(directory)).replace('@prompt@', shlex.quote(own_name))
    files |= {f'bin/{name}': text for name, text in programs.items()}
    if 'git' in scm_ignore_files:
        files['.gitignore'] = '# Created by venv; see https://docs.python.org/3/library/venv.html\n*\n'
    for name, text in files.items():
        path = os.path.join(directory, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        if name in {f'bin/{each}' for each in programs}:
            os.chmod(path, 0o755)


def venv_main(arguments):
    import argparse

    parser = argparse.ArgumentParser(prog='venv', description='Creates virtual Python environments in one or more target directories.')
    parser.add_argument('dirs', metavar='ENV_DIR', nargs='+', help='a directory to create the environment in')
    parser.add_argument('--system-site-packages', action='store_true', help='give it access to the packages outside')
    parser.add_argument('--clear', action='store_true', help='delete what is in the directory before')
    parser.add_argument('--without-pip', dest='with_pip', action='store_false', help='make no program pip')
    parser.add_argument('--prompt', help='what is shown before the prompt')
    parser.add_argument('--without-scm-ignore-files', dest='scm', action='store_const', const=frozenset(), default=frozenset(['git']), help='make no .gitignore')
    # An environment is made the same way with each of them.
    for name in '--symlinks', '--copies', '--upgrade', '--upgrade-deps':
        parser.add_argument(name, action='store_true', help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    for directory in given.dirs:
        if os.path.exists(directory) and not os.path.isdir(directory):
            print(f'Error: Unable to create directory {os.path.abspath(directory)!r}', file=sys.stderr)
            return 1
        create_environment(directory, given.system_site_packages, given.clear, given.with_pip, given.prompt, given.scm)
    return 0


class EnvBuilder:
    """The part of the original that programs use."""

    def __init__(self, system_site_packages=False, clear=False, symlinks=False, upgrade=False, with_pip=False, prompt=None, upgrade_deps=False, *, scm_ignore_files=frozenset()):
        self._given = system_site_packages, clear, with_pip, prompt, scm_ignore_files

    def create(self, env_dir):
        create_environment(env_dir, *self._given)


def ensurepip_main(arguments):
    if '--version' in arguments:
        print(f'pip {_pip_version}')
    else:
        print(f'Requirement already satisfied: pip in {os.path.dirname(json.__path__[0])} ({_pip_version})')
    return 0


_modules_of_own['venv'] = 'from _polyfs import EnvBuilder, create_environment as create\n'
_modules_of_own['venv.__main__'] = 'import sys\nfrom _polyfs import venv_main\nsys.exit(venv_main(sys.argv[1:]))\n'
_modules_of_own['ensurepip'] = f'def version():\n    return {_pip_version!r}\n'
_modules_of_own['ensurepip.__main__'] = 'import sys\nfrom _polyfs import ensurepip_main\nsys.exit(ensurepip_main(sys.argv[1:]))\n'
