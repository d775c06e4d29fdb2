import { describe, expect, test } from 'vitest'
import { snapshot } from '../../../emulated-shell.js'
import { bash, layersLack, layersWork, openReal } from './stage.js'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe.skipIf(!layersWork)(`real programs on a tree${layersWork ? '' : ` (${layersLack})`}`, () => {
  test('see its files and change them', async () => {
    const workspace = openReal({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' })
    expect(await bash(workspace, 'cat a.txt sub/b.txt; echo three > sub/c.txt; pwd')).toEqual({
      ended: 'exit',
      exitCode: 0,
      stdout: 'one\ntwo\n/\n',
      stderr: '',
    })
    expect(text(await workspace.fs.readFile('/sub/c.txt'))).toBe('three\n')
  })

  test('make one change, labelled with the command, and undo restores every byte', async () => {
    const tree = { 'a.txt': 'a\n', 'sub/b.txt': 'b\n', 'sub/deep/c.txt': 'c\n', gone: 'x', 'd/e': '1' }
    const workspace = openReal(tree)
    const before = await snapshot(workspace)
    const command =
      'sed -i s/a/A/ a.txt; mv sub moved; rm gone; mkdir -p new/dir; echo hi > new/dir/file; rm -r d; mkdir d; ln -s a.txt link; chmod 751 a.txt'
    expect(await bash(workspace, command)).toEqual({ ended: 'exit', exitCode: 0, stdout: '', stderr: '' })
    const files = ['/moved', '/moved/b.txt', '/moved/deep', '/moved/deep/c.txt', '/new', '/new/dir', '/new/dir/file']
    expect(Object.keys(await snapshot(workspace))).toEqual(['/a.txt', '/d', '/link', ...files])
    expect((await workspace.history.list()).map(({ label }) => label)).toEqual([command])
    expect((await bash(workspace, 'ls d; cat link; stat -c %a a.txt; cat moved/deep/c.txt')).stdout).toBe('A\n751\nc\n')
    await workspace.history.undo()
    expect(await snapshot(workspace)).toEqual(before)
    expect((await bash(workspace, 'cat d/e sub/deep/c.txt gone; ls -d new moved')).stdout).toBe('1c\nx')
  })

  test('a command that changes nothing leaves no record', async () => {
    const workspace = openReal({ 'a.txt': 'a\n' })
    await bash(
      workspace,
      'cat a.txt; sed -i s/nothing/x/ a.txt; echo t > b; rm b; echo x > /tmp/scratch; mkdir /etc/x; rmdir /etc/x',
    )
    expect(await workspace.history.list()).toEqual([])
  })

  test('a change by a tool is seen by the next command, whatever it was', async () => {
    const workspace = openReal({ 'a.txt': 'a\n', 'd/b.txt': 'b\n', 'd/c.txt': 'c\n', 'e/f/g': 'g\n' })
    await bash(workspace, 'true')
    await workspace.changes.run({ label: 'edit', scopes: [{ path: '/', tree: true }] }, async (draft) => {
      await draft.write('/a.txt', new TextEncoder().encode('A\n'))
      await draft.remove('/d/b.txt')
      await draft.move('/e', '/moved')
      await draft.link('/link', '/d/c.txt')
      await draft.makeDirectory('/d/new', { mode: 0o750 })
    })
    const show = 'cat a.txt link; ls d moved/f; stat -c %a d/new; [ -e e ] || echo no e'
    expect((await bash(workspace, show)).stdout).toBe('A\nc\nd:\nc.txt\nnew\n\nmoved/f:\ng\n750\nno e\n')
    await workspace.history.undo()
    expect((await bash(workspace, 'cat a.txt d/b.txt e/f/g; [ -e moved -o -e link ] || echo as before')).stdout).toBe(
      'a\nb\ng\nas before\n',
    )
  })

  test('a directory that was removed and made anew shows nothing of the old one, whoever did it', async () => {
    const workspace = openReal({ 'd/one': '1', 'd/two/three': '3', f: 'file' })
    await bash(workspace, 'rm -r d; mkdir d; echo new > d/four; rm f; mkdir f; echo in > f/in')
    expect(Object.keys(await snapshot(workspace))).toEqual(['/d', '/d/four', '/f', '/f/in'])
    expect((await bash(workspace, 'find d f | sort')).stdout).toBe('d\nd/four\nf\nf/in\n')
    await bash(workspace, 'rm -r d f; echo file > d; mkdir e; mv d e/d; mkdir d')
    expect((await bash(workspace, 'find d e | sort')).stdout).toBe('d\ne\ne/d\n')
    for (const _ of [1, 2]) await workspace.history.undo()
    expect((await bash(workspace, 'find d f | sort; cat d/two/three f')).stdout).toBe(
      'd\nd/one\nd/two\nd/two/three\nf\n3file',
    )
  })

  test('what can’t be stored is named, and the rest is saved', async () => {
    const workspace = openReal({})
    const command = `mkfifo fifo; printf x > $'bad\\xff'; echo fine > good; python3 - <<'E' 2>/dev/null || true
import socket; s = socket.socket(socket.AF_UNIX); s.bind('sock')
E
[ -e sock ] || mkfifo sock`
    const { exitCode, stderr } = await bash(workspace, command)
    expect(exitCode).toBe(0)
    expect(stderr.replace('socket', 'FIFO').split('\n').sort().slice(1)).toEqual([
      'polyfs: /bad\u00ff: not saved: its name is not UTF-8',
      "polyfs: /fifo: not saved: a FIFO can't be stored",
      "polyfs: /sock: not saved: a FIFO can't be stored",
    ])
    expect(Object.keys(await snapshot(workspace))).toEqual(['/good'])
    expect((await bash(workspace, 'ls fifo good sock')).stdout).toBe('good\n')
  })

  test('paths that are too long for the machine are named when a command makes them, and kept when a tool did', async () => {
    const name = 'x'.repeat(200)
    const deep = Array.from({ length: 30 }, () => name)
    const workspace = openReal({ 'a.txt': 'a' })
    const files = deep.map((_, depth) => `/${deep.slice(0, depth + 1).join('/')}`)
    for (const path of files) await workspace.fs.makeDir(path)
    expect((await bash(workspace, 'echo b > a.txt; rmdir no; ls x*/x* | wc -l; touch x*/new')).stdout).toBe('1\n')
    expect((await workspace.fs.stat(files.at(-1) ?? '')).kind).toBe('directory')
    const made = `mkdir y; cd y; for i in {1..30}; do mkdir ${name}; cd ${name}; done; ln -s $'\\xff' ../link; echo x > f`
    const { stderr } = await bash(workspace, made)
    expect(stderr).toMatch(/not saved: its path is too long/)
    expect((await workspace.fs.stat(`/y/${name}/${name}`)).kind).toBe('directory')
    expect((await bash(workspace, "ln -s $'\\xff' link")).stderr).toMatch(/^polyfs: .link: not saved: a link to a name/)
  })

  test('what nobody may read is stored so that its owner can', async () => {
    const workspace = openReal({ secret: 'secret\n' })
    await workspace.fs.setMode?.('/secret', 0)
    const { stdout, stderr } = await bash(workspace, 'cat secret; mkdir -m 0 closed; echo x > f; chmod 0 f')
    expect(stdout).toBe('')
    expect(stderr).toContain('/f: stored with mode 400, not 000')
    expect((await bash(workspace, 'stat -c "%a %n" closed f secret')).stdout).toBe('0 closed\n400 f\n0 secret\n')
  })

  test('times are kept', async () => {
    const workspace = openReal({ 'a.txt': 'a' })
    await workspace.fs.setModified?.('/a.txt', 1_000_000_000_500)
    const command = 'stat -c %.3Y a.txt; touch -d @1234567890.25 b; mkdir c; touch -d @1234567891 c'
    expect((await bash(workspace, command)).stdout).toBe('1000000000.500\n')
    expect((await workspace.fs.stat('/b')).modifiedMs).toBe(1_234_567_890_250)
    expect((await bash(workspace, 'stat -c %.2Y b')).stdout).toBe('1234567890.25\n')
  })

  test('a change by someone else wins over the command, which says that nothing of it was saved', async () => {
    const workspace = openReal({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const edit = () =>
      workspace.changes.run({ label: 'theirs', scopes: [{ path: '/a.txt' }] }, (draft) =>
        draft.write('/a.txt', new TextEncoder().encode('theirs\n')),
      )
    const onOutput = ({ bytes }: { bytes: Uint8Array }) => {
      if (text(bytes) === 'began\n') void edit().then(() => bash(workspace, 'touch /tmp/go'))
    }
    const command = 'echo began; until [ -e /tmp/go ]; do sleep 0.01; done; echo mine >> a.txt; echo mine >> b.txt'
    expect(await bash(workspace, command, { onOutput })).toEqual({
      ended: 'exit',
      exitCode: 1,
      stdout: 'began\n',
      stderr: 'bash: /a.txt: changed by someone else while the command ran; none of its changes were saved\n',
    })
    expect((await bash(workspace, 'cat a.txt b.txt')).stdout).toBe('theirs\nb\n')
  })

  test('after many changes by tools and commands it is still the same tree', async () => {
    const workspace = openReal({ 'd/a': 'a' })
    for (let round = 0; round < 20; round += 1) {
      if (round % 3 === 0) {
        await workspace.changes.run({ label: 'tool', scopes: [{ path: '/', tree: true }] }, async (draft) => {
          if (round > 0) await draft.remove('/d/a')
          else await draft.write('/d/a', new TextEncoder().encode('b'))
        })
        if (round > 0) await workspace.history.undo()
      } else await bash(workspace, `rm -f f*; echo ${round} > f${round}; rm -r d; mkdir d; echo ${round} > d/a`)
    }
    expect((await bash(workspace, 'find d f* -type f | sort | xargs tail -n +1')).stdout).toBe(
      '==> d/a <==\n19\n\n==> f19 <==\n19\n',
    )
    while ((await workspace.history.undo()) !== undefined && (await bash(workspace, 'cat d/a')).stdout !== 'a');
    expect((await bash(workspace, 'find d f* -type f')).stdout).toBe('d/a\n')
  })

  test('two commands at once lose nothing', async () => {
    const workspace = openReal({ 'a.txt': 'a\n' })
    const writing = (name: string) => `mkdir -p ${name}; for i in 1 2 3; do echo $i > ${name}/$i; done`
    const both = await Promise.all(['one', 'two'].map((name) => bash(workspace, writing(name))))
    expect(both.map(({ stderr }) => stderr)).toEqual(['', ''])
    expect((await bash(workspace, 'cat one/3 two/3 a.txt')).stdout).toBe('3\n3\na\n')
    expect(await workspace.history.list()).toHaveLength(2)
  })

  test('what a command has done by its timeout is saved', async () => {
    const workspace = openReal({})
    const { ended, stderr } = await bash(workspace, 'echo x > f; sleep 60', { timeoutMs: 1500 })
    expect({ ended, stderr }).toEqual({ ended: 'timeout', stderr: 'bash: what it had changed by then is saved\n' })
    expect(text(await workspace.fs.readFile('/f'))).toBe('x\n')
  })

  test('a command is asked to end first, and what it then does is saved', async () => {
    const workspace = openReal({})
    const stop = new AbortController()
    const onOutput = () => stop.abort()
    const command = "trap 'echo cleared > f; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    const { ended } = await bash(workspace, command, { signal: stop.signal, graceMs: 30_000, onOutput })
    expect(ended).toBe('aborted')
    expect(text(await workspace.fs.readFile('/f'))).toBe('cleared\n')
  })

  test('what it leaves in the background ends with it', async () => {
    const workspace = openReal({})
    const forever = 'while :; do echo x >> f; sleep 0.01; done'
    await bash(workspace, `(setsid sh -c "${forever}" &); until [ -s f ]; do sleep 0.01; done`)
    const { size } = await workspace.fs.stat('/f')
    expect((await bash(workspace, 'sleep 0.1; stat -c %s f')).stdout).toBe(`${size}\n`)
  })

  test('roots are what they are: readable, writable, and nothing beside them', async () => {
    const workspace = openReal(
      { '/w/a.txt': 'a', '/ro/b.txt': 'b', '/out/secret': 'secret', '/w/in/ro/c': 'c' },
      {
        roots: [
          { path: '/w', access: 'read-write' },
          { path: '/ro', access: 'read-only' },
          { path: '/w/in/ro', access: 'read-only' },
        ],
      },
    )
    const before = await snapshot(workspace)
    const { stdout } = await bash(
      workspace,
      'cat a.txt /ro/b.txt in/ro/c; echo; echo x > /ro/b.txt; echo x > in/ro/c; mv in moved; cat /out/secret; ls /; echo x > /new',
    )
    expect(stdout.split('\n')[0]).toBe('abc')
    expect(stdout).not.toContain('out')
    expect(await snapshot(workspace)).toEqual(before)
    await bash(workspace, 'echo made > /w/in/made')
    expect(text(await workspace.fs.readFile('/w/in/made'))).toBe('made\n')
  })

  test('git works, and hooks stay protected', async () => {
    const workspace = openReal({ 'a.txt': 'a\n' })
    const git = 'git -c user.email=a@b.c -c user.name=n'
    const command = `${git} init -q . && git add a.txt && ${git} commit -qm one && echo x > .git/hooks/pre-commit`
    const { exitCode, stderr } = await bash(workspace, command)
    expect([exitCode, stderr.includes('hooks is protected')]).toEqual([0, true])
    const looking = 'git log --format=%s; git status --short a.txt; ls .git/hooks 2>/dev/null'
    expect((await bash(workspace, looking)).stdout).toBe('one\n')
  })

  test('a fork starts with the same files, and neither sees what the other does', async () => {
    const workspace = openReal({ 'a.txt': 'a\n' })
    await bash(workspace, 'echo b > b.txt')
    const fork = await workspace.fork()
    await bash(fork, 'echo fork > a.txt; rm b.txt; echo f > only')
    await bash(workspace, 'echo ours > ours')
    expect((await bash(fork, 'cat a.txt; ls b.txt ours only 2>/dev/null')).stdout).toBe('fork\nonly\n')
    expect((await bash(workspace, 'cat a.txt b.txt; ls only ours 2>/dev/null')).stdout).toBe('a\nb\nours\n')
    expect((await workspace.merge(fork)).merged.map(({ path }) => path)).toEqual(['/a.txt', '/b.txt', '/only'])
    expect((await bash(workspace, 'cat a.txt only; [ -e b.txt ] || echo no b')).stdout).toBe('fork\nf\nno b\n')
    await fork.discard()
  })

  test('sessions stay in directories of the tree, and in that of temporary files', async () => {
    const workspace = openReal({ 'd/a': '1' })
    const { shell } = workspace
    const request = { timeoutMs: 60_000, maxStreamBytes: 1000, reportState: true }
    const one = await shell?.exec({ ...request, command: 'cd d; export A=1', cwd: '/' })
    expect(one?.left).toEqual({ cwd: '/d', env: { A: '1' } })
    const two = await shell?.exec({ ...request, command: 'mkdir /tmp/t; cd /tmp/t', cwd: '/d' })
    expect([two?.left?.cwd, await shell?.scratchDirectory?.('/tmp/t')]).toEqual(['/tmp/t', '/tmp/t'])
    const three = await shell?.exec({ ...request, command: 'cd /usr/lib', cwd: '/d' })
    expect(three?.left?.cwd).toBeUndefined()
  })
})
