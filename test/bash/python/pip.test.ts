import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBash } from '../../../node/bash.js'
import { nodeNetwork } from '../../../node/network/node-network.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../../node/cli/built.js'
import { onMachine } from '../network/both-shells.js'
import { testServer } from '../network/test-server.js'
import { pythonBash } from './bash.js'

const timeout = 120_000
const { sh, python } = pythonBash()

const makeWheels = `
import zipfile, os, hashlib, base64
os.makedirs('/wheels', exist_ok=True)
def wheel(name, version, files, requires=(), tag='py3-none-any', broken=False):
    record = ''
    with zipfile.ZipFile(f'/wheels/{name}-{version}-{tag}.whl', 'w') as archive:
        about = f'{name}-{version}.dist-info'
        files = files | {f'{about}/WHEEL': 'Wheel-Version: 1.0\\n', f'{about}/METADATA':
            f'Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\nSummary: about {name}\\n' + ''.join(f'Requires-Dist: {each}\\n' for each in requires)}
        for path, content in files.items():
            archive.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b'=').decode()
            record += f'{path},sha256={"x" + digest[1:] if broken else digest},{len(content)}\\n'
        archive.writestr(f'{about}/RECORD', record + f'{about}/RECORD,,\\n')
wheel('tool', '1.2', {'tool.py': 'import part\\ndef main(): print("part", part.version)\\n', 'tool-1.2.dist-info/entry_points.txt': '[console_scripts]\\ntool = tool:main\\n'},
      ['part>=1.0,<3', 'other; python_version < "3"', 'extra-part; extra == "all"'])
for version in '0.9', '2.0', '2.0rc1', '3.1': wheel('part', version, {'part/__init__.py': f'version = {version!r}\\n'})
wheel('native', '1', {'native.so': ''}, tag='cp314-cp314-linux_x86_64')
wheel('changed', '1', {'changed.py': 'x = 1\\n'}, broken=True)
wheel('outside', '1', {'../../../../escaped.py': 'x = 1\\n'})
`

test('wheels of the workspace are installed, listed, checked and removed', { timeout }, async () => {
  expect(await python(makeWheels)).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  expect((await sh('pip install --no-index --find-links /wheels tool')).stdout).toBe(
    `Defaulting to user installation because normal site-packages is not writeable
Looking in links: /wheels
Processing /wheels/tool-1.2-py3-none-any.whl
Processing /wheels/part-2.0-py3-none-any.whl
Installing collected packages: part, tool
Successfully installed part-2.0 tool-1.2
`,
  )
  expect((await sh('pip list; pip freeze; pip list --format=json; pip check')).stdout).toBe(
    `Package Version
------- -------
part    2.0
tool    1.2
part==2.0
tool==1.2
[{"name": "part", "version": "2.0"}, {"name": "tool", "version": "1.2"}]
No broken requirements found.
`,
  )
  expect((await sh('~/.local/bin/tool; python3 -c "import tool; tool.main()"')).stdout).toBe('part 2.0\npart 2.0\n')
  expect((await sh('pip show part')).stdout).toContain('Required-by: tool\n')
  expect(await sh('pip install -q /wheels/part-3.1-py3-none-any.whl; pip check')).toMatchObject({
    stdout: 'tool 1.2 has requirement part>=1.0,<3, but you have part 3.1.\n',
    exitCode: 1,
  })
  expect((await sh('pip uninstall -y tool part; pip freeze; ls ~/.local/lib/python3.14/site-packages')).stdout).toBe(
    `Found existing installation: tool 1.2
Uninstalling tool-1.2:
  Successfully uninstalled tool-1.2
Found existing installation: part 3.1
Uninstalling part-3.1:
  Successfully uninstalled part-3.1
`,
  )
})

test('what can not be installed says why', { timeout }, async () => {
  await python(makeWheels)
  const refused = async (command: string) => {
    const { stderr, exitCode } = await sh(command)
    expect(exitCode).toBe(1)
    return stderr
  }
  expect(await refused('pip install requests')).toContain(
    'No matching distribution found for requests; this pip has no network',
  )
  expect(await refused('pip install /wheels/native-1-cp314-cp314-linux_x86_64.whl')).toContain(
    'is not a supported wheel on this platform',
  )
  expect(await refused('pip install -f /wheels changed')).toContain(
    'changed.py of changed-1-py3-none-any.whl differs from its hash',
  )
  expect(await refused('pip install -f /wheels outside')).toContain('leads out of its directory')
  expect((await sh('ls /; pip freeze')).stdout).not.toMatch(/escaped|changed|outside/)
  expect(await refused('pip install -f /wheels "part>=4"')).toContain('(from versions: 0.9, 2.0, 2.0rc1, 3.1)')
  expect(await refused('pip download x')).toBe('ERROR: download is not supported by this pip\n')
})

test('packages come from an index that the host allows, as with the real pip', { timeout }, async ({ skip }) => {
  const wheels = new Map<string, Buffer>()
  const files = (name: string) => [...wheels].filter(([file]) => file.startsWith(`${name}-`))
  const server = await testServer((request, response) => {
    const [, kind = '', name = ''] = (request.url ?? '').split('/')
    response.setHeader('Connection', 'close')
    if (kind === 'files') return response.end(wheels.get(name))
    if (kind !== 'simple' || files(name).length === 0) return response.writeHead(404).end('none')
    response.setHeader('Content-Type', 'text/html')
    const links = files(name).map(([file, bytes]) => {
      const digest = createHash('sha256').update(bytes).digest('hex')
      const python = file.includes('-9.') ? ' data-requires-python="&gt;=9"' : ''
      return `<a href="../../files/${file}#sha256=${file.startsWith('forged') ? digest.replace(/./, 'g') : digest}"${python}>${file}</a>`
    })
    response.end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`)
  })
  const network = nodeNetwork({ allow: [server.origin] })
  const bash = createBash({ fs: memory({}), network, worker: built('node/emulated-worker.js') })
  try {
    const making = `${makeWheels}wheel('part', '9.0', {'part/__init__.py': ''})\nwheel('forged', '1', {'forged.py': ''})\n`
    const listed = await bash.exec(
      `cat > make.py; python3 make.py; cd /wheels; for f in *; do echo "$f $(base64 -w0 "$f")"; done`,
      { stdin: making },
    )
    for (const line of listed.stdout.trim().split('\n')) {
      const [file = '', content = ''] = line.split(' ')
      wheels.set(file, Buffer.from(content, 'base64'))
    }
    const index = `--index-url ${server.origin}/simple`
    const found = 'cd out; find . -name "*.py" -o -name METADATA | sort; cat part/__init__.py'
    const installing = `pip install ${index} --target out tool && ${found}`
    const ours = await bash.exec(`cd /; ${installing}`)
    expect(ours.stderr).toBe('')
    expect(ours.stdout).toContain('Successfully installed part-2.0 tool-1.2\n')
    const again = await bash.exec(
      `pip install ${index} nothing; echo $?; pip install -q ${index} forged; echo $?; pip install ${index} native; echo $?; ls ~/.local`,
    )
    expect(again.stdout).toMatch(/\n1\n1\n[\s\S]*1\n$/)
    expect(again.stderr).toContain('No matching distribution found for nothing\n')
    expect(again.stderr).toContain('DO NOT MATCH THE HASHES')
    expect(again.stderr).toContain('No matching distribution found for native\n')
    if ((await onMachine('python3 -m pip --version')).exitCode !== 0) skip('the real pip is not installed')
    const theirs = await onMachine(
      `export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1; python3 -m pip install -q ${index} --target out --python-version 3.14 --only-binary :all: tool && ${found}`,
    )
    expect([0, ours.stdout.split('part-2.0 tool-1.2\n')[1]]).toEqual([theirs.exitCode, theirs.stdout])
  } finally {
    await Promise.all([bash.close(), server.close()])
  }
})
