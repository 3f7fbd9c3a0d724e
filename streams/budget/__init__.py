"""The budget controller: one fenced grantor of permits per site-budget key (DESIGN §6, SPEC D7)."""
