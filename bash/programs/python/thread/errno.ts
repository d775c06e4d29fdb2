/** Errors of system calls. The engine was compiled with the numbers of WASI. */
export const errno: Readonly<Record<string, number>> = {
  E2BIG: 1,
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  ECHILD: 12,
  EEXIST: 20,
  EFAULT: 21,
  EFBIG: 22,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  EMLINK: 34,
  ENAMETOOLONG: 37,
  ENODEV: 43,
  ENOENT: 44,
  ENOEXEC: 45,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTTY: 59,
  ENXIO: 60,
  EPERM: 63,
  EPIPE: 64,
  ERANGE: 68,
  EROFS: 69,
  ESPIPE: 70,
  ESRCH: 71,
  EXDEV: 75,
  ENOTSUP: 138,
}

/** A system call that fails, by the name of its error. */
export class SystemFailure extends Error {
  readonly number: number

  constructor(name: string) {
    super(name)
    this.number = errno[name] ?? (errno.EIO as number)
  }
}
