import { expect, test } from 'vitest'
import { pythonBash } from './bash.js'

const timeout = 120_000
const { sh } = pythonBash({ cwd: '/' })

const project = `mkdir -p /app/src/shop; cd /app
cat > pyproject.toml <<'END'
[project]
name = "the-shop"
dynamic = ["version"]
dependencies = []
[project.optional-dependencies]
dev = ["part>=1"]
[project.scripts]
shop = "shop:main"
[tool.setuptools.dynamic]
version = { attr = "shop.__version__" }
END
echo '__version__ = "1.4"
def main(): print("open", __version__)' > src/shop/__init__.py
echo note > src/shop/data.txt
`

test('a virtual environment has packages of its own, and programs that find them', { timeout }, async () => {
  expect(
    await sh(`${project} python3 -m venv .venv && ls -A .venv/bin .venv && grep -v command .venv/pyvenv.cfg`),
  ).toEqual({
    stdout:
      '.venv:\n.gitignore\nbin\ninclude\nlib\npyvenv.cfg\n\n.venv/bin:\nactivate\npip\npip3\npip3.14\npython\npython3\npython3.14\n' +
      'home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.14.2\nexecutable = /usr/bin/python3\n',
    stderr: '',
    exitCode: 0,
  })
  const active = await sh(`cd /app; . .venv/bin/activate; which python pip; echo $VIRTUAL_ENV
pip install -q -e . && pip list && pip freeze && which shop && shop
python -c 'import sys, shop; print(sys.prefix, sys.executable, shop.__file__, sys.prefix != sys.base_prefix)'
python -c 'import subprocess, sys; print(subprocess.check_output([sys.executable, "-m", "shop"], stderr=subprocess.STDOUT, text=True))' 2>&1 | tail -1
deactivate; which python; echo "[$VIRTUAL_ENV]"; python -c 'import shop' 2>&1 | tail -1`)
  expect(active.stdout).toBe(`/app/.venv/bin/python
/app/.venv/bin/pip
/app/.venv
Package  Version Editable project location
-------- ------- -------------------------
the-shop 1.4     /app
# Editable install with no version control (the-shop==1.4)
-e /app
/app/.venv/bin/shop
open 1.4
/app/.venv /app/.venv/bin/python /app/src/shop/__init__.py True
subprocess.CalledProcessError: Command '['/app/.venv/bin/python', '-m', 'shop']' returned non-zero exit status 1.
/usr/bin/python
[]
ModuleNotFoundError: No module named 'shop'
`)
  expect(
    (await sh('/app/.venv/bin/pip uninstall -y the-shop; ls -A /app/.venv/lib/python3.14/site-packages /app/src'))
      .stdout,
  ).toBe(
    'Found existing installation: the-shop 1.4\nUninstalling the-shop-1.4:\n  Successfully uninstalled the-shop-1.4\n/app/.venv/lib/python3.14/site-packages:\n\n/app/src:\nshop\n',
  )
})

test('a directory is installed as its description says, with files and what it needs', { timeout }, async () => {
  expect(await sh(`${project} pip install .`)).toMatchObject({ exitCode: 0 })
  expect(
    (await sh('rm -r /app; cd /tmp; ~/.local/bin/shop; ls ~/.local/lib/python3.14/site-packages/shop')).stdout,
  ).toBe('open 1.4\n__init__.py\ndata.txt\n')
  await sh(project)
  expect(await sh('pip install ".[dev]"')).toMatchObject({
    exitCode: 1,
    stderr: `WARNING: This shell has no network; its host allows it with a rule such as 'https://pypi.org' (--network).
ERROR: Could not find a version that satisfies the requirement part>=1 (from versions: none)
ERROR: No matching distribution found for part>=1; this pip has no network: give wheels, or --find-links DIRECTORY
`,
  })
  expect((await sh('echo "-e ." > r.txt; pip install -q -r r.txt; pip list')).stdout).toContain(
    'the-shop 1.4     /app\n',
  )
})

test.each([
  [
    'setup.cfg',
    `printf '[metadata]\\nname = cfg\\nversion = attr: cfg.version\\n[options]\\npackage_dir =\\n    = lib\\n' > setup.cfg; mkdir -p lib/cfg; echo 'version = "2"' > lib/cfg/__init__.py`,
    'cfg==2 /p/lib',
  ],
  [
    'poetry',
    `printf '[tool.poetry]\\nname = "poems"\\nversion = "3"\\n[tool.poetry.dependencies]\\npython = "^3.9"\\n' > pyproject.toml; mkdir poems; touch poems/__init__.py`,
    'poems==3 /p',
  ],
  [
    'hatchling',
    `printf '[project]\\nname = "eggs"\\ndynamic = ["version"]\\n[build-system]\\nbuild-backend = "hatchling.build"\\n[tool.hatch.version]\\npath = "x/eggs/about.py"\\n[tool.hatch.build.targets.wheel]\\npackages = ["x/eggs"]\\n' > pyproject.toml; mkdir -p x/eggs; echo '__version__ = "4"' > x/eggs/about.py`,
    'eggs==4 /p/x',
  ],
  [
    'flit',
    `printf '[project]\\nname = "flat"\\ndynamic = ["version", "description"]\\n[build-system]\\nbuild-backend = "flit_core.buildapi"\\n' > pyproject.toml; echo '__version__ = "5"' > flat.py`,
    'flat==5 /p',
  ],
])('%s', { timeout }, async (_, files, found) => {
  const name = found.split('==')[0]
  expect(
    (
      await sh(
        `rm -rf /p; mkdir /p; cd /p; ${files}; pip install -q -e . && pip list --format=freeze | grep ${name} && cat ~/.local/lib/python3.14/site-packages/__editable__.${name}-*.pth`,
      )
    ).stdout
      .split('\n')
      .join(' ')
      .trim(),
  ).toBe(found)
})

test('what is known only to a program that builds is refused', { timeout }, async () => {
  const install = (text: string) => sh(`rm -rf /q; mkdir /q; cd /q; ${text}; pip install -q -e .`)
  expect(
    (
      await install(
        `printf '[project]\\nname = "a"\\ndynamic = ["version"]\\n[build-system]\\nbuild-backend = "hatchling.build"\\n' > pyproject.toml`,
      )
    ).stderr,
  ).toBe(
    'ERROR: /q: its version is known only to hatchling.build, which is not run here; with PYTHONPATH=/q Python finds it\n',
  )
  expect((await install('echo "from setuptools import setup; setup()" > setup.py')).stderr).toBe(
    'ERROR: .: only what pyproject.toml or setup.cfg says can be installed here, and nothing is built; with PYTHONPATH=/q Python finds it\n',
  )
  expect(
    (
      await install(
        `printf '[project]\\nname = "a"\\nversion = "1"\\n[build-system]\\nbuild-backend = "maturin"\\n' > pyproject.toml`,
      )
    ).stderr,
  ).toBe('ERROR: .: maturin compiles, and nothing can be built here\n')
})

test('ensurepip has nothing to do', { timeout }, async () => {
  expect((await sh('python3 -m ensurepip --upgrade; pip install -q -U pip; echo $?')).stdout).toBe(
    'Requirement already satisfied: pip in /usr/lib/python314.zip (25.3)\n0\n',
  )
})

test('sockets are those of a machine that is offline, and servers are refused by name', { timeout }, async () => {
  const last = async (code: string) => (await sh(`python3 -c '${code}' 2>&1 | tail -1`)).stdout
  expect(await last('import urllib.request as u; u.urlopen("http://example.com")')).toBe(
    'urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>\n',
  )
  expect(await last('import http.client as c; c.HTTPConnection("localhost", 5).request("GET", "/")')).toBe(
    'ConnectionRefusedError: [Errno 111] Connection refused\n',
  )
  expect(await last('import socket; socket.create_connection(("10.0.0.1", 80), 1)')).toBe(
    'OSError: [Errno 101] Network is unreachable\n',
  )
  expect((await sh('python3 -m http.server 2>&1 | tail -1')).stdout).toBe(
    'OSError: servers are not supported by this Python, which has no network\n',
  )
})
