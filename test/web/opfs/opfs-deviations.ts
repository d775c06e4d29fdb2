import type { Deviations } from '../../../contract/fs/index.js'

export const opfsDeviations: Deviations = {
  'a name may hold a backslash': 'the File System Access API takes a backslash for a separator and refuses the name',
  'a directory with 5000 entries lists every one':
    'planting and clearing them one by one is a minute of messages between processes; see fs-access.browser.test.ts',
}
