/** What the way back from the OpenID provider puts into the address when something went wrong there. */
const PROVIDER_TROUBLE = {
  sign_in_failed: "Signing in did not work. Perhaps nobody has invited you yet.",
  no_upstream_available: "The sign-in provider cannot be reached. Try again later.",
  upstream_error: "The sign-in provider is not set up as Tollgate is. Tell an operator.",
};

const find = (selector) => document.querySelector(selector);

/** Calls the platform. The header says that it was a page of its own: no other site can send it. */
async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { "x-tollgate-request": "page", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? undefined : await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), { code: answer.code, param: answer.param });
  return answer;
}

/** Shows one part of the page, and goes there. */
function show(part, focused) {
  part.hidden = false;
  part.querySelector(focused)?.focus();
}

/** Does something for whoever pressed the button of a part, and tells them there if it fails. */
async function attempt(part, work) {
  const button = part.querySelector("button");
  const error = part.querySelector(".error");
  error.textContent = "";
  button.disabled = true;
  try {
    await work();
  } catch (problem) {
    error.textContent = problem.message;
    button.disabled = false;
    (part.querySelector(`[name="${problem.param}"]`) ?? part.querySelector("[type=password]"))?.focus();
  }
}

function onSubmit(form, work) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(form, () => work(Object.fromEntries(new FormData(form))));
  });
}

async function openSignIn() {
  const form = find("#sign-in");
  onSubmit(form, async (fields) => {
    await call("POST", "/api/sign-in", fields);
    form.hidden = true;
    await showSignedIn();
  });
  try {
    await showSignedIn();
  } catch {
    const { oidc } = await call("GET", "/api/sign-in/methods");
    find("#oidc").hidden = !oidc;
    form.querySelector(".error").textContent = PROVIDER_TROUBLE[location.hash.slice(1)] ?? "";
    show(form, "input");
  }
}

async function showSignedIn() {
  const { person, role, account } = await call("GET", "/api/me");
  const section = find("#signed-in");
  find("#name").textContent = person.name;
  find("#about").textContent = `${person.email} · ${role}${account === null ? "" : ` of ${account}`}`;
  find("#sign-out").addEventListener("click", () => {
    void attempt(section, async () => {
      await call("POST", "/api/sign-out");
      location.replace("/");
    });
  });
  show(section, "h1");
}

/** The token is behind the # of the link, which browsers send nowhere. */
async function openWelcome() {
  const token = location.hash.slice(1);
  const form = find("#welcome");
  const invited = await call("POST", "/api/invitations/show", { token }).catch(() => undefined);
  if (!invited) return show(find("#dead-link"), "h1");
  const isFirst = invited.email === null;
  find("#email").value = invited.email ?? "";
  find("#email").readOnly = !isFirst;
  find("#name").value = invited.name ?? "";
  find("#intro").textContent = isFirst
    ? "You are the first here, and will be an operator: you may do everything, and invite others."
    : `Choose a password, and you are signed in as ${invited.role === "operator" ? "an operator" : "a member"}.`;
  onSubmit(form, async ({ email, name, password }) => {
    await call("POST", "/api/invitations/accept", { token, name, password, ...(isFirst && { email }) });
    location.replace("/");
  });
  show(form, "input:not([readonly])");
}

void (find("#welcome") ? openWelcome() : openSignIn());
