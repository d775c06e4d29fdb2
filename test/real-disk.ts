import { tmpdir } from 'node:os'

/** A directory on a disk, for tests about one. The files of other tests are in memory where `npm test` finds enough. */
export const realDisk = process.env.POLYFS_TEST_DISK ?? tmpdir()
