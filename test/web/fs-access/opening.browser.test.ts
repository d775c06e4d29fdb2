import { afterEach, describe, expect, test } from 'vitest'
import { openDirectory } from '../../../web/fs-access/open-directory.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { namesIn, put, scratchDirectory } from '../opfs/scratch.js'

describe('opfs', () => {
  test('with a name is that directory, created when missing', async () => {
    const name = crypto.randomUUID()
    await (await opfs(name)).writeFile('/f', new TextEncoder().encode('kept'))
    expect(await (await opfs()).readDir(`/${name}`)).toEqual([{ name: 'f', kind: 'file' }])
    expect(await (await opfs(name)).readDir('/')).toEqual([{ name: 'f', kind: 'file' }])
  })

  test.each(['..', '.', 'a/b', 'a\\b', 'a\0b', ''])('%j is not a name for one', async (name) => {
    await expect(opfs(name)).rejects.toMatchObject({ code: 'INVALID_PATH' })
  })
})

describe('openDirectory', () => {
  const window = globalThis as { showDirectoryPicker?: unknown }
  const { showDirectoryPicker } = window
  afterEach(() => {
    window.showDirectoryPicker = showDirectoryPicker
  })

  test('returns the folder the user picks, and requests write access', async () => {
    const folder = await scratchDirectory()
    const asked: unknown[] = []
    window.showDirectoryPicker = async (options: unknown) => {
      asked.push(options)
      return folder
    }
    const fs = await openDirectory({ id: 'project' })
    await fs.writeFile('/f', new Uint8Array(1))
    expect(await namesIn(folder)).toEqual(['f'])
    expect(asked).toEqual([{ mode: 'readwrite', id: 'project' }])
    expect(fs.capabilities).toMatchObject({ writable: true, caseSensitive: false })
  })

  test('for reading gives a file system that can’t be changed', async () => {
    const folder = await scratchDirectory()
    await put(folder, 'f', 'text')
    window.showDirectoryPicker = async () => folder
    const fs = await openDirectory({ mode: 'read', caseSensitive: true })
    expect(fs.capabilities).toMatchObject({ writable: false, caseSensitive: true })
    await expect(fs.remove('/f')).rejects.toMatchObject({ code: 'READ_ONLY' })
  })

  test('is ABORTED when the user closes the picker', async () => {
    window.showDirectoryPicker = async () => {
      throw new DOMException('The user aborted a request.', 'AbortError')
    }
    await expect(openDirectory()).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('is DENIED outside a click', async () => {
    await expect(openDirectory()).rejects.toMatchObject({ code: 'DENIED' })
  })

  test('is UNSUPPORTED where there is no picker', async () => {
    window.showDirectoryPicker = undefined
    await expect(openDirectory()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      facts: { path: '/', operation: 'showDirectoryPicker' },
    })
  })
})
