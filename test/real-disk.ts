import { tmpdir } from 'node:os'

/** Where files are on a disk, for what is about one: `npm test` keeps those of all other tests in memory if it can. */
export const realDisk = process.env.POLYFS_TEST_DISK ?? tmpdir()
