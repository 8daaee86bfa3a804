/**
 * The names to ask for in turn, as resolv.conf(5) has it: the name itself, and that in each of the domains in which the
 * machine looks for hosts. A name with enough dots is asked for as it is first, others last: one dot is enough, unless
 * `ndots` says otherwise, as it does in Kubernetes. One with a dot at its end is in no domain.
 */
export const searchedNames = (settings: string, name: string): string[] => {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  let domains: string[] = []
  let dots = 1
  for (const line of settings.split('\n')) {
    const [key, ...values] = line
      .replace(/[#;].*/s, '')
      .trim()
      .split(/\s+/)
    // The last of these lines counts.
    if (key === 'search' || key === 'domain') domains = values
    if (key === 'options') for (const value of values) if (/^ndots:\d+$/.test(value)) dots = Number(value.slice(6))
  }
  const searched = domains.map((domain) => domain.replace(/\.$/, '')).filter(Boolean)
  const inDomains = searched.map((domain) => `${name}.${domain}`)
  return name.split('.').length > dots ? [name, ...inDomains] : [...inDomains, name]
}
