import { redirect } from '../html/redirect.ts'
import { readForm } from './form-body.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { Session, Sessions } from './sessions.ts'

export type Gate = ReturnType<typeof createGate>

interface Options {
  readonly sessions: Sessions
  readonly publicUrl: string | null
}

type Answer = Response | Promise<Response>

/** Every page goes through one of these three, so that none forgets a check. */
export const createGate = ({ sessions, publicUrl }: Options) => {
  const keepAlive = async (request: Request, session: Session, response: Response): Promise<Response> => {
    // A page that signs out, or in again, has its own say about the cookies.
    if (response.headers.has('set-cookie')) return response
    const cookies = await sessions.extend(request, session).catch(() => [])
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return response
  }

  return {
    /** A page for whoever is signed in. Everybody else is led to sign-in, and from there to `path`. */
    async page(request: Request, path: string, show: (session: Session) => Answer): Promise<Response> {
      const session = sessions.find(request)
      return session ? keepAlive(request, session, await show(session)) : redirect(signInPath(path))
    },

    /** What a form of such a page does. `path` is the page that the form is on. */
    async action(
      request: Request,
      path: string,
      act: (session: Session, form: URLSearchParams) => Answer,
    ): Promise<Response> {
      requireSameOrigin(request, publicUrl)
      if (!sessions.find(request)) return redirect(signInPath(path))
      const form = await readForm(request)
      // Asked again: the form may take a minute to arrive, and the session may have ended meanwhile.
      const session = sessions.find(request)
      if (!session) return redirect(signInPath(path))
      return keepAlive(request, session, await act(session, form))
    },

    /** What a form does for somebody who is not signed in yet. */
    async publicAction(request: Request, act: (form: URLSearchParams) => Answer): Promise<Response> {
      requireSameOrigin(request, publicUrl)
      return act(await readForm(request))
    },
  }
}

const signInPath = (next: string): string => `/sign-in?next=${encodeURIComponent(next)}`
