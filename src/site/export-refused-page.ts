import type { Form } from '../forms/ownership.ts'
import { frame, header } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { formPath } from './form-frame.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  readonly retryAfterSeconds: number
}

/** Instead of a file, while as many exports are under way as may be. */
export const exportRefusedPage = ({ email, form, retryAfterSeconds }: Shown): Response =>
  frame({
    status: 429,
    title: `Error: Too many exports · ${form.title} · Formbox`,
    headers: { 'retry-after': String(retryAfterSeconds) },
    header: header('/', email),
    body: html`<div class="card">
<h1>Too many exports at once</h1>
<p>Other exports are still being downloaded. Wait until one is complete, or cancel one in your browser. Then export again.</p>
<p class="next"><a class="button primary" href="${formPath(form.id)}">Back to <bdi>${form.title}</bdi></a></p>
</div>`,
  })
