/** Cases that can't be played with names of Windows, by id, with the reason. */
export const windowsUnfit: Readonly<Record<string, string>> = {
  'replay/search_files: literal: no glob, no regex': 'Windows has no name with *',
}
