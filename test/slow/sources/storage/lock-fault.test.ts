import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { addUser, filesIn, formbox } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const canPreload = process.platform === 'linux' && Bun.which('gcc') !== null
if (!canPreload)
  noteSkipped('The test of a network share is skipped: there is no gcc on the PATH, or this is not Linux.')

/** Lets every file lock fail with the error in `LOCK_ERROR`, as NFS and SMB do. Open file descriptors lock otherwise. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#define REPLACE(name) int name(int fd, int command, ...) { \\
  va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \\
  if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) { errno = atoi(getenv("LOCK_ERROR")); return -1; } \\
  int (*next)(int, int, ...) = dlsym(RTLD_NEXT, #name); \\
  return next(fd, command, argument); }
REPLACE(fcntl)
REPLACE(fcntl64)
`

test.skipIf(!canPreload)('a disk on which no lock works is named, rather than another process', async () => {
  const folder = temporaryFolder()
  const library = join(folder, 'locks.so')
  await Bun.write(join(folder, 'locks.c'), source)
  const { exitCode, stderr } = Bun.spawnSync([
    'gcc',
    '-shared',
    '-fPIC',
    '-o',
    library,
    join(folder, 'locks.c'),
    '-ldl',
  ])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  const runs = ['ENOLCK 37', 'EACCES 13', 'EOPNOTSUPP 95', 'EPERM 1'].flatMap((error) =>
    [
      ['serve', '--port', '0'],
      ['user', 'list'],
    ].map(async (words) => {
      const data = temporaryFolder()
      addUser(data, 'ada@example.com')
      const environment = { LD_PRELOAD: library, LOCK_ERROR: error.split(' ')[1] as string }
      const outcome = await formbox([...words, '--data', data], { environment })
      expect([error, outcome]).toEqual([
        error,
        {
          exitCode: 1,
          stdout: '',
          stderr: expect.stringMatching(
            /^formbox: file locks do not work in \S+?(, whose file system is \w+)?; the data must be on a local disk\n$/,
          ),
        },
      ])
      expect(filesIn(data).filter((name) => name.startsWith('formbox.lock-'))).toEqual([])
    }),
  )
  await Promise.all(runs)
})
