# make run   captures a site (URL= picks it; without it the bundled demo site), verifies and lists the archive, and shows
#            it again at http://localhost:8080/ until Ctrl-C (or not with SERVE=0)
# make test  checks format, lint and types, then runs the tests
# make map   writes the index of all files into docs/architecture.md
# make docs  builds the documentation site in build/docs; make manual the manual pages in share/man
# make bench-NAME runs one of the benches in bench/

PY := .venv/bin/python
RUN_DIR ?= run
PORT ?= 8080
SERVE ?= 1
BROWSER := chromium chromium-sandbox fonts-liberation

.PHONY: run test check format docs manual map install dev peers clean

# Without a browser the capture goes on, and says which pages it could not run.
run: .venv/installed
	@command -v chromium >/dev/null || scripts/debian.sh 'running pages with scripts' $(BROWSER) || true
	@$(PY) scripts/run.py --dir "$(RUN_DIR)" --port "$(PORT)" --serve "$(SERVE)" --url "$(URL)"

test: check .peers/installed .peers/axe/installed
	$(PY) -m pytest -n 3 --dist loadgroup --pure-coverage $(TESTS)

check: .venv/dev
	$(PY) -m ruff format --check src tests bench scripts
	$(PY) -m ruff check src tests bench scripts
	$(PY) -m mypy

format: .venv/dev
	$(PY) -m ruff format src tests bench scripts
	$(PY) -m ruff check --fix src tests bench scripts

docs: .venv/dev
	$(PY) -m sphinx -q -W --keep-going -b html docs build/docs
	@echo "open build/docs/index.html"

map: .venv/dev
	$(PY) scripts/file_index.py

manual: .venv/dev
	$(PY) scripts/manual.py

bench-%: .venv/dev .peers/installed
	$(PY) -m bench.$* $(ARGS)

install: .venv/installed
dev: .venv/dev
peers: .peers/installed .peers/axe/installed .peers/apps/installed .peers/real/installed
bench-apps bench-mirror: .peers/apps/installed
bench-real_walks: .peers/real/installed

# What is installed where it lies starts in half the time if it need not be compiled at every start.
.venv/installed: pyproject.toml scripts/venv.sh
	@scripts/venv.sh .venv -e '.[lab]'
	@$(PY) -m compileall -q src
	@touch $@

.venv/dev: pyproject.toml scripts/venv.sh
	@scripts/venv.sh .venv -e '.[dev]'
	@$(PY) -m compileall -q src bench
	@touch $@ .venv/installed

.peers/installed: scripts/venv.sh scripts/debian.sh scripts/peers.sh scripts/packages.txt
	@scripts/peers.sh
	@touch $@

.peers/axe/installed: scripts/apps.sh tests/accessibility/package-lock.json
	@scripts/apps.sh tests/accessibility .peers/axe
	@touch $@

.peers/apps/installed: scripts/apps.sh bench/app_pages/package-lock.json
	@scripts/apps.sh bench/app_pages .peers/apps
	@touch $@

.peers/real/installed: scripts/apps.sh bench/real_pages/package-lock.json
	@scripts/apps.sh bench/real_pages .peers/real
	@touch $@

clean:
	rm -rf .venv .peers $(RUN_DIR)
