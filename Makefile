# `make` prints the targets for a start: demo, check, test and prove. Each makes the virtual environment
# that it needs. What is below the heading "For maintainers" is for those who change rules or release.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest
# As many workers as there are processors. Neighbours stay together, as what they share is made once
# a worker; who has done with his part takes from another's.
SPREAD := -n auto --dist worksteal
# Tests that hardly ever start a process: the floors, what is given, what is known, what is judged,
# the lab.
FAST   := tests/test_floors.py tests/test_proofs.py tests/test_files.py tests/model tests/inputs \
          tests/knowledge tests/engine tests/lab
# Where the kernels are kept that proofs are made with, and the systems that plans are walked through.
KERNELS ?= build/kernels
GUESTS  ?= build/guests
# What .ci/run runs in steps of its own: pyproject.toml says why.
REST    := not kernel and not boot and not guest and not laws and not corpus and not installs

# Compiled tests and modules are kept, as each process would compile them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo check fast fuzz fuzz-smoke test coverage lint prove kernels lab-kernels walks bench mutants trees successors acceptance verified census configurations corpus causes authorities hardened architectures schemas laws lab again lab-builds programs lock man wheel dist roots golden clean

help:
	@echo 'make demo    audits a real configuration; writes a fragment and reports to demo/'
	@echo 'make check   ruff, mypy and the fast tests, after every change (about 1 minute)'
	@echo 'make test    all tests that need neither root nor a kernel (about 5 minutes)'
	@echo 'make prove   proves advice anew with the tools of kernels and by starting them (30 minutes)'
	@echo
	@echo 'for maintainers (CONTRIBUTING.md and the Makefile explain them):'
	@echo '  tests      fast coverage lint golden bench mutants corpus census laws fuzz'
	@echo '  kernels    kernels lab-kernels walks trees successors acceptance verified'
	@echo '  lab        lab again lab-builds programs'
	@echo '  pages      causes authorities hardened architectures man schemas'
	@echo '  packages   lock wheel dist roots clean'

demo: $(STAMP)
	BIN=$(BIN) sh examples/demo.sh

# What is worth knowing after every change.
check: $(STAMP)
	$(MAKE) --no-print-directory -j 2 lint fast

test: $(STAMP)
	$(PYTEST) $(SPREAD) -m '$(REST)'

# Proves all that tests/proven does not have proven, with the kernels' own tools and by starting
# kernels, and keeps it; what is interrupted goes on from there. With FRESH=1 all of it anew. With
# LISTS=FOLDER it first counts the lists of programs that are there against software/ (tools/lists.py).
prove: kernels
	$(if $(LISTS),$(BIN)/python tools/lists.py $(LISTS))
	$(if $(FRESH),rm -f tests/proven/*)
	KERNEL_ADVISOR_TREES=$(KERNELS)/trees $(PYTEST) $(SPREAD) --prove tests/kernel
	KERNEL_ADVISOR_BOOT=$(KERNELS)/boot $(PYTEST) $(SPREAD) --prove tests/boot
	$(MAKE) --no-print-directory walks

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	touch $@

# --- For maintainers --------------------------------------------------------------------------------

# With COV=--cov also how much of the code they run.
fast: $(STAMP)
	$(PYTEST) -q $(SPREAD) $(COV) -m 'not slow' $(FAST)

# The same tests, and which lines and branches they run, in the processes that they start too: twice
# the time.
coverage: $(STAMP)
	$(PYTEST) $(SPREAD) -m '$(REST)' --cov --cov-report=term

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

kernels: $(STAMP)
	sh tests/kernel/prepare.sh $(KERNELS)/trees
	sh tests/boot/prepare.sh $(KERNELS)/boot

# Likewise what only the lab starts: the kernel beside that of PREEMPT_RT.
lab-kernels:
	sh tests/boot/prepare.sh $(KERNELS)/boot lab

# Plans of all profiles, and of products with their servers, in systems of Debian that are started:
# applied, started with, taken back. Needs root, mmdebstrap and qemu; prepare.sh says what it makes.
walks: $(STAMP)
	sh tests/guests/prepare.sh $(GUESTS)
	KERNEL_ADVISOR_GUESTS=$(GUESTS) $(PYTEST) $(SPREAD) -m guest tests/guests

# Fuzzes the readers and whole ways (fuzz/README.md): make fuzz MINUTES=10, with TARGETS="config tlp"
# these alone. Atheris has an environment of its own: it is for a few versions of Python, and a
# release of it may count coverage in another way, so its version is fixed.
FUZZ := build/fuzz-env
fuzz: $(FUZZ)/.ready
	$(FUZZ)/bin/python -m fuzz run --minutes $(or $(MINUTES),10) --jobs $(or $(JOBS),2) $(TARGETS)

# Seconds a target, the same mutations each time.
fuzz-smoke: $(FUZZ)/.ready
	$(FUZZ)/bin/python -m fuzz smoke --jobs $(or $(JOBS),2) $(TARGETS)

$(FUZZ)/.ready: pyproject.toml
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/pip install --quiet --disable-pip-version-check --editable '.[zstd,yaml]' \
		atheris==3.0.0 'coverage>=7.10.7,<8'
	touch $@

bench: $(STAMP)
	$(BIN)/python tests/bench/bench.py

# How many of a sample of faults in the code the tests find: make mutants COUNT=60 SEED=2
mutants: $(STAMP)
	nice -n 19 $(BIN)/python tools/mutants.py --count $(or $(COUNT),150) --seed $(or $(SEED),1)

# Reads every kernel tree of a folder: make trees FOLDER=~/kernels (docs/evidence/trees.md keeps the table).
trees: $(STAMP)
	$(BIN)/python tools/trees.py $(FOLDER)

# Holds evaluation and advice against every kernel tree of a folder, with the trees' own conf; goes
# on where it was interrupted. WHAT="--tree 6.12 --arch mips" is a part of it.
acceptance: $(STAMP)
	$(BIN)/python -m tests.kernel.acceptance $(FOLDER) $(WHAT)
	$(BIN)/python -m tests.kernel.acceptance $(FOLDER) --page >docs/evidence/acceptance.md.new; true
	mv docs/evidence/acceptance.md.new docs/evidence/acceptance.md

# What may have taken the place of symbols that are gone, over the trees of a folder, as a table to
# check by hand: make successors FOLDER=~/kernels.
successors: $(STAMP)
	$(BIN)/python tools/successors.py $(FOLDER) --known rules/successors.toml

# Holds the rules against every kernel tree of a folder (docs/evidence/rules-verified.md keeps the table).
verified: $(STAMP)
	$(BIN)/python tools/verified.py $(FOLDER)

# What every profile's advice comes to in every real configuration (tests/census).
census: $(STAMP)
	$(BIN)/python -m tests.census.census

# The real configurations: those of KERNEL_ADVISOR_CORPUS, or those of the census that public
# repositories have, fetched once.
FETCHED := $(CURDIR)/build/corpus
CORPUS := $(or $(KERNEL_ADVISOR_CORPUS),$(FETCHED))
corpus laws: export KERNEL_ADVISOR_CORPUS = $(CORPUS)
configurations: $(STAMP)
	$(if $(filter $(FETCHED),$(CORPUS)),$(BIN)/python -m tests.census.fetch $(FETCHED))

# Holds the census, and what reports have to be, over these configurations.
corpus: configurations
	$(PYTEST) $(SPREAD) -m corpus tests/census

# Holds the laws of tests/laws over each of them, every profile and boot line; KEEP=--keep writes
# what fails.
laws: configurations
	$(BIN)/python -m tests.laws.hold $(KEEP)

# Holds the records of the lab, and measures one again: RECORD=audit=on that one. How more are made
# stands in docs/evidence/lab.md.
lab: $(STAMP)
	$(BIN)/python -m lab check
	KERNEL_ADVISOR_BOOT=$(or $(KERNEL_ADVISOR_BOOT),$(KERNELS)/boot) \
		$(BIN)/python -m lab again $(RECORD) --by "$$(git rev-parse HEAD)"

# Fetches the kernel that a record is of, and measures it again: make again RECORD=audit=on, with
# KERNEL=cloud-6.1 that of another kernel.
again: $(STAMP)
	$(if $(RECORD),,$(error RECORD=TUNABLE=VALUE says which record, as lab/records has them))
	$(if $(filter lean-%,$(KERNEL)),,sh tests/boot/prepare.sh $(KERNELS)/boot $(if $(filter amd64-% cloud-arm64-%,$(KERNEL)),lab))
	$(BIN)/python -m lab again $(RECORD) $(if $(KERNEL),--kernel $(KERNEL)) --kernels $(KERNELS)/boot

# Builds what lab/builds.toml lists, and measures it: a night, but what is interrupted goes on.
lab-builds: $(STAMP)
	nice -n 19 $(BIN)/python -m lab run control=on --all-build

# Boots kernels, runs there what programs need, and prints where that went otherwise than `can` says
# (docs/evidence/programs.md); needs root: make programs DEST=build/programs, with WHICH="RELEASE..."
# those kernels alone.
programs: $(STAMP)
	sh tests/guests/programs.sh $(or $(DEST),build/programs) $(WHICH)
	$(BIN)/python tests/guests/trials.py $(or $(DEST),build/programs)

# What authorities ask for, from TuneD (the folder that its package installs) and a tree;
# and the page.
authorities: $(STAMP)
	$(BIN)/python tools/authorities.py $(if $(TUNED),--tuned $(TUNED)) $(if $(TREE),--tree $(TREE)) $(if $(CHECKER),--checker $(CHECKER))
	$(BIN)/python tools/authorities.py --page >docs/evidence/authorities.md.new
	mv docs/evidence/authorities.md.new docs/evidence/authorities.md

# The profile `hardening` beside kernel-hardening-checker: make hardened CHECKER=folder CORPUS=folder
hardened: $(STAMP)
	$(BIN)/python tools/hardened.py $(CHECKER) $(CORPUS)/*.config.xz >docs/evidence/hardening.md.new
	mv docs/evidence/hardening.md.new docs/evidence/hardening.md

# What boot words change, from the rules.
causes: $(STAMP)
	$(BIN)/python tools/causes.py >docs/evidence/causes.md.new
	mv docs/evidence/causes.md.new docs/evidence/causes.md

# How much of each profile speaks on each architecture, and why not, from a folder with the files of
# Debian's packages linux-config-VERSION, of all architectures: make architectures FOLDER=~/configs
architectures: $(STAMP)
	$(BIN)/python tools/architectures.py $(FOLDER) >docs/evidence/architectures.md.new
	mv docs/evidence/architectures.md.new docs/evidence/architectures.md

# What the action and GitLab's template install, by hash, from pyproject.toml: the newest of all.
lock: $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check 'uv>=0.8,<1'
	$(BIN)/python tools/lock.py

# The manual page, from the help of the commands.
man: $(STAMP)
	$(BIN)/python tools/manpage.py >docs/kernel-advisor.1.new
	mv docs/kernel-advisor.1.new docs/kernel-advisor.1

# The schemas of JSON outputs, from the tables of their encoders.
schemas: $(STAMP)
	$(BIN)/python tools/schemas.py

wheel: $(STAMP)
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

# The source archive, and the wheel that is built from it.
dist: $(STAMP)
	$(BIN)/python -m build --outdir dist . >/dev/null

# What the README and the golden files quote, written again from what the tool prints; with
# KERNEL_ADVISOR_TREES what the documentation shows of a tree.
golden: $(STAMP) man
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/cli/test_waivers.py tests/test_golden.py tests/cli/test_machine.py tests/cli/test_recorded.py \
		tests/test_readme.py tests/kernel/test_quotes.py tests/model/test_diagnostics.py tests/output/test_levels.py \
		-k 'golden or quotes or documentation'

# The files of a release, and their tests in roots of Debian 12, 13 and sid (docs/releases.md); as root.
roots:
	packaging/release.sh "v$$(sed -n 's/^__version__ = "\(.*\)"$$/\1/p' advisor/__init__.py)" build/release
	packaging/roots.sh build/release build/roots

clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
